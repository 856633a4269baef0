import assert from "node:assert/strict";
import { test } from "node:test";
import type { Transaction } from "../../../chain/block/transaction.ts";
import { EMPTY } from "../../../chain/encoding/bytes.ts";
import { toHex } from "../../../chain/encoding/hex.ts";
import { LONGEST_LISTED_INPUT } from "../../../query/decode/decoder.ts";
import { LISTED, presentTransaction } from "./presentTransaction.ts";

function transactionWith(input: Uint8Array): Transaction {
  const address = new Uint8Array(20).fill(1);
  const common = { nonce: EMPTY, gas: EMPTY, value: EMPTY, v: EMPTY, r: EMPTY, s: EMPTY, gasPrice: EMPTY };
  return { type: 0, hash: new Uint8Array(32), from: address, to: address, input, ...common };
}

test("a list leaves long inputs out, a single transaction never does", () => {
  const around = { height: 0, kinds: new Map() };
  const rawInput = (length: number, longest?: typeof LISTED) =>
    presentTransaction({ transaction: transactionWith(new Uint8Array(length)) }, around, {}, longest).raw_input;

  assert.equal(rawInput(LONGEST_LISTED_INPUT, LISTED), toHex(new Uint8Array(LONGEST_LISTED_INPUT)));
  assert.equal(rawInput(LONGEST_LISTED_INPUT + 1, LISTED), null);
  assert.equal(rawInput(200_000)?.length, 400_002);
});

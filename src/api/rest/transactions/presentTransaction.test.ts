import assert from "node:assert/strict";
import { test } from "node:test";
import type { Transaction } from "../../../chain/block/transaction.ts";
import { EMPTY } from "../../../chain/encoding/bytes.ts";
import { toHex } from "../../../chain/encoding/hex.ts";
import { MAX_LISTED_INPUT_LENGTH } from "../../../query/decode/decoder.ts";
import { NO_RATES } from "../../../query/exchange/rates.ts";
import { presentTransaction, presentTransactionPage } from "./presentTransaction.ts";

function transactionWith(input: Uint8Array): Transaction {
  const address = new Uint8Array(20).fill(1);
  const common = { nonce: EMPTY, gas: EMPTY, value: EMPTY, v: EMPTY, r: EMPTY, s: EMPTY, gasPrice: EMPTY };
  return { type: 0, hash: new Uint8Array(32), from: address, to: address, input, ...common };
}

test("inputs are shown whole, in a list as alone", async () => {
  const rest = {
    outcome: undefined,
    transferCount: undefined,
    error: undefined,
    method: undefined,
    decoded: undefined,
    scope: undefined,
  };
  const addresses = new Map();
  const info = { page: 1, pageSize: 1, total: 1, next: null, block: null, since: null };
  const listed = async (length: number) => {
    const transactions = [{ ...rest, transaction: transactionWith(new Uint8Array(length)) }];
    return (await presentTransactionPage({ transactions, addresses, info, scope: undefined, copies: new Set() }))
      .items[0]?.raw_input;
  };
  const single = (length: number) => {
    const details = {
      range: undefined,
      isIndexed: false,
      transfers: undefined,
      failure: undefined,
      authorizations: [],
      addresses,
      copies: new Set<never>(),
    };
    const transaction = transactionWith(new Uint8Array(length));
    const call = { from: transaction.from, to: transaction.to, value: 0n, method: undefined, parts: [] };
    const actions = { call, failure: undefined, isPending: true, actions: [], isComplete: true };
    return presentTransaction({ ...rest, ...details, actions, transaction }, NO_RATES).raw_input;
  };

  assert.equal(await listed(MAX_LISTED_INPUT_LENGTH), toHex(new Uint8Array(MAX_LISTED_INPUT_LENGTH)));
  assert.equal((await listed(100_000))?.length, 200_002);
  assert.equal(single(200_000)?.length, 400_002);
});

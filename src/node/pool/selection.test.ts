import assert from "node:assert/strict";
import { test } from "node:test";
import { uintFromNumber } from "../../chain/encoding/uint.ts";
import { encodedBytes } from "../block/assemble.ts";
import type { PooledTransaction } from "./pooledTransactions.ts";
import { Selection } from "./selection.ts";

function pooledOf(tip: number, bytes: number, arrival: number): PooledTransaction {
  const transaction = { gas: uintFromNumber(21_000), maxFeePerGas: uintFromNumber(tip + 10) };
  const priority = { maxPriorityFeePerGas: uintFromNumber(tip) };
  return { transaction: { ...transaction, ...priority }, raw: new Uint8Array(bytes), arrival } as never;
}

test("what does not fit into the bytes of a block is passed over, with what comes after it of the same sender", () => {
  const [small, large, after, other] = [
    pooledOf(9, 100, 0),
    pooledOf(8, 500, 1),
    pooledOf(9, 10, 2),
    pooledOf(1, 90, 3),
  ];
  const senders = [[small, large, after], [other]];
  const selection = new Selection(senders, { baseFeePerGas: 10n, blobGasPrice: 1n }, () => {});

  const taken: PooledTransaction[] = [];
  for (let bytes = 400; ; bytes -= encodedBytes(taken.at(-1)!)) {
    const next = selection.next({ gas: 1_000_000, blobs: 0, bytes });
    if (next === undefined) break;
    taken.push(next as PooledTransaction);
  }

  assert.deepEqual(taken, [small, other]);
});

import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { test } from "node:test";
import { toHex } from "../encoding/hex.ts";
import type { Wire } from "../encoding/wire.ts";
import { readObject, WireReader } from "../encoding/wire.ts";
import { logsBloom } from "../hashing/bloom.ts";
import { decodeBlock, receiptsRoot, transactionHash, transactionsRoot } from "./block.ts";
import { decodeHeader, headerHash, withdrawalsRoot } from "./header.ts";
import { decodeTransaction } from "./transaction.ts";

/** Responses of real clients. Skipped if absent. */
const root = resolve(import.meta.dirname, "../..");
const folder = join(process.env.ORIEL_VECTORS ?? join(root, "../shared/vectors"), "execution-apis");

interface Answer {
  readonly name: string;
  readonly result: unknown;
}

function answers(method: string): Answer[] {
  return globSync(join(folder, method, "*.io")).flatMap((file) =>
    readFileSync(file, "utf8")
      .split("\n")
      .filter((line) => line.startsWith("<< "))
      .map((line) => ({ name: `${method}/${basename(file)}`, result: JSON.parse(line.slice(3)).result }))
      .filter(({ result }) => result !== undefined && result !== null),
  );
}

const blocks = [...answers("eth_getBlockByNumber"), ...answers("eth_getBlockByHash")].map(({ name, result }) => ({
  name,
  wire: readObject(result, name),
}));

function checkHeader(wire: Wire): void {
  const header = decodeHeader(wire, new WireReader());

  assert.equal(toHex(headerHash(header)), wire.hash);
  if (header.withdrawals !== undefined) assert.equal(toHex(withdrawalsRoot(header.withdrawals)), wire.withdrawalsRoot);
}

function checkTransactions(wires: readonly Wire[], expectedRoot: unknown): void {
  const transactions = wires.map((wire) => decodeTransaction(wire, new WireReader()));

  assert.deepEqual(
    transactions.map((tx) => toHex(transactionHash(tx))),
    wires.map((wire) => wire.hash),
  );
  assert.equal(toHex(transactionsRoot(transactions)), expectedRoot);
}

for (const { name, wire } of blocks) {
  test(`${name} has the hash and the roots it says`, () => {
    const transactions = wire.transactions as (Wire | string)[];

    checkHeader(wire);
    if (transactions.every((tx) => typeof tx !== "string")) checkTransactions(transactions, wire.transactionsRoot);
  });
}

for (const { name, result } of answers("eth_getBlockReceipts")) {
  const receipts = result as Wire[];
  const block = blocks.find(({ wire }) => wire.hash === receipts[0]?.blockHash && Array.isArray(wire.transactions));
  if (block === undefined) continue;
  test(`${name} has the root and the bloom ${block.name} says`, () => {
    const decoded = decodeBlock(block.wire, receipts);

    assert.equal(toHex(receiptsRoot(decoded.transactions, decoded.receipts)), block.wire.receiptsRoot);
    assert.equal(toHex(logsBloom(decoded.receipts.flatMap((receipt) => receipt.logs))), block.wire.logsBloom);
  });
}

for (const { name, result } of answers("eth_getTransactionByHash")) {
  test(`${name} has the hash it says`, () => {
    const wire = readObject(result, name);

    assert.equal(toHex(transactionHash(decodeTransaction(wire, new WireReader()))), wire.hash);
  });
}

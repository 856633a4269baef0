import assert from "node:assert/strict";
import { test } from "node:test";
import { SimulatedChain } from "../../../test/support/simulatedChain.ts";
import { threadCpuMs } from "../../../test/support/threadCpu.ts";
import { decodeBlock } from "../../chain/block/block.ts";
import { quantity } from "../../chain/encoding/hex.ts";
import type { Wire } from "../../chain/encoding/wire.ts";
import { checkBlockRecord, checkLog, checkReceipt, checkTransaction } from "./recordChecks.ts";

const chain = new SimulatedChain({ seed: 23, traffic: { transactions: [4, 6] } });
chain.mine(40);

const blocks = Array.from({ length: 40 }, (_, at) => {
  const [wire, receipts] = [chain.wireBlock(at + 1)!, chain.wireReceipts(at + 1)!];
  return { wire: wire as Wire, receipts: receipts as Wire[], block: decodeBlock(wire, receipts) };
});

test("what a node shows of a block as it is has no problem", () => {
  for (const { wire, receipts, block } of blocks) {
    const transactions = wire.transactions as Wire[];
    const light = { ...wire, transactions: transactions.map(({ hash }) => hash) };
    assert.deepEqual([checkBlockRecord(wire, block), checkBlockRecord(light, block)], [undefined, undefined]);
    for (const tx of transactions) assert.equal(checkTransaction(tx, block), undefined);
    for (const receipt of receipts) {
      assert.equal(checkReceipt(receipt, block), undefined);
      for (const log of receipt.logs as Wire[]) assert.equal(checkLog(log, block), undefined);
    }
  }
});

/** A record with one hex digit changed. */
function altered(record: Wire, field: string): Wire {
  const value = String(record[field]);
  const last = value.at(-1) === "1" ? "2" : "1";
  return { ...record, [field]: `${value.slice(0, -1)}${last}` };
}

test("a field that the block commits to and that is another is a problem", () => {
  const { wire, receipts, block } = blocks.find((one) => one.receipts.some(({ logs }) => (logs as Wire[]).length > 0))!;
  const receipt = receipts.find(({ logs }) => (logs as Wire[]).length > 0)!;
  const [log] = receipt.logs as [Wire];
  const [tx] = wire.transactions as [Wire];

  for (const field of ["stateRoot", "timestamp", "gasUsed", "receiptsRoot", "parentHash", "miner"]) {
    assert.ok(checkBlockRecord(altered(wire, field), block), field);
  }
  for (const field of ["value", "nonce", "gas", "from", "transactionIndex", "blockNumber"]) {
    assert.ok(checkTransaction(altered(tx, field), block), field);
  }
  for (const field of ["cumulativeGasUsed", "gasUsed", "from", "logsBloom", "transactionIndex", "blockNumber"]) {
    assert.ok(checkReceipt(altered(receipt, field), block), field);
  }
  assert.ok(checkReceipt({ ...receipt, status: receipt.status === "0x1" ? "0x0" : "0x1" }, block));
  assert.ok(checkReceipt({ ...receipt, logs: [] }, block));
  for (const field of ["address", "data", "logIndex"])
    assert.ok(checkLog(altered({ ...log, data: "0x00" }, field), block));
  assert.ok(checkLog({ ...log, topics: [...(log.topics as string[]), `0x${"00".repeat(32)}`] }, block));
  assert.ok(checkBlockRecord({ ...wire, transactions: [] }, block));
});

test("what the logs of a response take to check grows with their number alone", () => {
  const { receipts, block } = blocks.find((one) => one.receipts.some(({ logs }) => (logs as Wire[]).length > 0))!;
  const index = receipts.findIndex(({ logs }) => (logs as Wire[]).length > 0);
  const [[wire], [log]] = [receipts[index]!.logs as [Wire], block.receipts[index]!.logs];
  const [count, first] = [10_000, log!.logIndex];
  const logs = Array.from({ length: count }, (_, at) => ({ ...log!, logIndex: first + at }));
  const long = { ...block, receipts: block.receipts.map((one, at) => (at === index ? { ...one, logs } : one)) };

  const before = threadCpuMs();
  for (let at = 0; at < count; at++) {
    assert.equal(checkLog({ ...wire, logIndex: quantity(first + at) }, long), undefined);
  }

  assert.ok(threadCpuMs() - before < 1000, `${threadCpuMs() - before} ms`);
  assert.ok(checkLog({ ...wire, logIndex: quantity(first + count) }, long));
});

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Check } from "../src/chain/integrity/checks.ts";
import { Indexer } from "../src/indexer/indexer.ts";
import type { IntegrityRecord } from "../src/indexer/integrityPolicy.ts";
import type { Store } from "../src/store/store.ts";
import { SimulatedChain } from "./support/simulatedChain.ts";
import type { Call } from "./support/simulatedMethods.ts";
import { openTrial } from "./support/trial.ts";
import type { WireBlock, WireReceipt } from "./support/wireForm.ts";

const AUTO = { indexer: { integrity: "auto" } } as const;
const LENGTH = 40;

async function record(store: Store): Promise<IntegrityRecord> {
  return JSON.parse((await store.latest.meta("integrity"))!) as IntegrityRecord;
}

const isBlock = ({ method, params }: Call) => method.startsWith("eth_getBlockBy") && params[1] === true;

/** Property of every block of an unusual chain, and the check that fails there. */
const QUIRKS: Record<string, { check: Check; respond: (call: Call, result: unknown) => unknown }> = {
  "sizes of another encoding": {
    check: "size",
    respond: (call, result) => (isBlock(call) && result !== null ? { ...result, size: "0x7" } : result),
  },
  "receipts without a price": {
    check: "gasPrice",
    respond: ({ method }, result) =>
      method === "eth_getBlockReceipts" && result !== null
        ? (result as WireReceipt[]).map(({ effectiveGasPrice: _, ...receipt }) => receipt)
        : result,
  },
  "log indexes that begin at 1": {
    check: "logIndex",
    respond: ({ method }, result) =>
      method === "eth_getBlockReceipts" && result !== null
        ? (result as WireReceipt[]).map((receipt) => ({
            ...receipt,
            logs: receipt.logs.map((log) => ({ ...log, logIndex: `0x${(Number(log.logIndex) + 1).toString(16)}` })),
          }))
        : result,
  },
};

for (const [what, { check, respond }] of Object.entries(QUIRKS)) {
  test(`a chain with ${what} is indexed, and the record says so`, async (t) => {
    const chain = new SimulatedChain({ seed: 12, traffic: { transactions: [3, 4] } });
    chain.mine(LENGTH);
    const { node, source, store } = await openTrial(t, chain, AUTO);

    node.faults.set({ respond });
    await new Indexer({ store, source }).step();

    assert.equal((await store.latest.blocks.tip())!.number, LENGTH);
    const { [check]: quirk, blockHash } = await record(store);
    assert.ok(quirk!.failed > LENGTH / 2 && quirk!.held === 0, JSON.stringify(quirk));
    assert.match(quirk!.sample!, /^block [01]: /);
    assert.deepEqual(blockHash, { held: LENGTH + 1, failed: 0 });
  });
}

test("a chain with deposits of an unknown type and zero blooms is indexed, and the record says so", async (t) => {
  const chain = new SimulatedChain({ seed: 12, traffic: { transactions: [3, 4], deposits: true } });
  chain.mine(LENGTH);
  const { node, source, store } = await openTrial(t, chain, AUTO);

  node.faults.set({ data: ["zeroBloom"] });
  await new Indexer({ store, source }).step();

  assert.equal((await store.latest.blocks.tip())!.number, LENGTH);
  const { logsBloom, blockHash, receiptsRoot } = await record(store);
  for (const quirk of [logsBloom, blockHash, receiptsRoot]) assert.ok(quirk!.failed > 0 && quirk!.sample);
});

test("a check that has held is enforced: the node that breaks it is refused until it is well", async (t) => {
  const chain = new SimulatedChain({ seed: 13, traffic: { transactions: [3, 4] } });
  chain.mine(20);
  const trial = await openTrial(t, chain, AUTO);
  await trial.settle();
  chain.mine(5);

  trial.node.faults.set({ respond: QUIRKS["sizes of another encoding"]!.respond });
  assert.deepEqual(await trial.steps(2), ["upstream_invalid", "upstream_invalid"]);
  assert.equal((await trial.store.latest.blocks.tip())!.number, 20);
  trial.node.faults.clear();
  await trial.settle();

  assert.deepEqual((await record(trial.store)).size, { held: 26, failed: 0 });
});

test("blocks count once in the record, also those checked before an unwind", async (t) => {
  const chain = new SimulatedChain({ seed: 14 });
  chain.mine(20);
  const trial = await openTrial(t, chain, AUTO);
  await trial.settle();

  chain.fork(5, 6);
  await trial.settle();
  chain.fork(1, 2);
  await trial.settle();

  assert.deepEqual((await record(trial.store)).blockHash, { held: 21 + 6 + 2, failed: 0 });
});

/** The header of a fork that is not known: what it hashes to is not what its known fields hash to. */
const withLaterFork = (since: number, field: string) => (call: Call, result: unknown) => {
  if (!isBlock(call) || result === null) return result;
  const block = result as WireBlock;
  return Number(block.number) < since ? block : { ...block, stateRoot: `0x${"12".repeat(32)}`, [field]: "0x1" };
};

test("a header with a field that is not known is indexed, and the record says since when it is not checked", async (t) => {
  const chain = new SimulatedChain({ seed: 15, traffic: { transactions: [3, 4] } });
  chain.mine(LENGTH);
  const { node, source, store } = await openTrial(t, chain, AUTO);

  node.faults.set({ respond: withLaterFork(30, "newRoot") });
  await new Indexer({ store, source }).step();

  assert.equal((await store.latest.blocks.tip())!.number, LENGTH);
  const { blockHash, transactionsRoot } = await record(store);
  const unchecked = LENGTH - 30 + 1;
  assert.deepEqual(blockHash, { held: 30, failed: 0, unchecked, since: "block 30: unknown field newRoot" });
  assert.equal(transactionsRoot!.unchecked, undefined);
});

test("a field that was there while the hash held is no excuse for a header that is wrong", async (t) => {
  const chain = new SimulatedChain({ seed: 16, traffic: { transactions: [3, 4], extraFields: true } });
  chain.mine(20);
  const trial = await openTrial(t, chain, AUTO);
  await trial.settle();
  chain.mine(5);

  trial.node.faults.set({ respond: withLaterFork(21, "milliTimestamp") });
  assert.deepEqual(await trial.steps(1), ["upstream_invalid"]);
  assert.equal((await trial.store.latest.blocks.tip())!.number, 20);
  trial.node.faults.clear();
  await trial.settle();

  assert.deepEqual((await record(trial.store)).blockHash, { held: 26, failed: 0, unrelated: ["milliTimestamp"] });
});

test("a chain whose empty blocks have a root of their own is indexed, and the record says so", async (t) => {
  const chain = new SimulatedChain({ seed: 17, traffic: { transactions: [0, 1] } });
  chain.mine(LENGTH);
  const { node, source, store } = await openTrial(t, chain, AUTO);
  const zero = `0x${"00".repeat(32)}`;

  node.faults.set({
    respond: (call, result) =>
      isBlock(call) && result !== null && (result as WireBlock).transactions.length === 0
        ? { ...result, transactionsRoot: zero }
        : result,
  });
  await new Indexer({ store, source }).step();

  assert.equal((await store.latest.blocks.tip())!.number, LENGTH);
  const { noTransactions, transactionsRoot } = await record(store);
  assert.match(noTransactions!.sample!, /^block \d+: the root is 0x0+$/);
  assert.equal(transactionsRoot!.failed, 0);
});

test("transactions that a node leaves out are refused once roots were seen to hold", async (t) => {
  const chain = new SimulatedChain({ seed: 18, traffic: { transactions: [1, 3] } });
  chain.mine(20);
  const trial = await openTrial(t, chain, AUTO);
  await trial.settle();
  chain.mine(3);

  trial.node.faults.set({
    respond: (call, result) =>
      isBlock(call) && result !== null && Number((result as WireBlock).number) > 20
        ? { ...result, transactions: [] }
        : result,
  });
  assert.deepEqual(await trial.steps(1), ["upstream_invalid"]);
  assert.equal((await trial.store.latest.blocks.tip())!.number, 20);
  trial.node.faults.clear();
  await trial.settle();

  assert.equal((await trial.store.latest.blocks.tip())!.number, 23);
});

test("copies of numbers that are spelled otherwise or wrong do not stop the index", async (t) => {
  const chain = new SimulatedChain({ seed: 19, traffic: { transactions: [2, 3] } });
  chain.mine(LENGTH);
  const { node, source, store } = await openTrial(t, chain, AUTO);

  node.faults.set({
    respond: ({ method }, result) =>
      method === "eth_getBlockReceipts" && result !== null
        ? (result as WireReceipt[]).map((receipt) => ({ ...receipt, blockTimestamp: 5, transactionIndex: "0x0" }))
        : result,
  });
  await new Indexer({ store, source }).step();

  assert.equal((await store.latest.blocks.tip())!.number, LENGTH);
  const { copies, receiptsRoot } = await record(store);
  assert.match(copies!.sample!, /receipt.blockTimestamp: expected "0x[0-9a-f]+", the node sent 5$/);
  assert.equal(receiptsRoot!.failed, 0);
});

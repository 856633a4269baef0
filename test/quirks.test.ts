import assert from "node:assert/strict";
import { test } from "node:test";
import { Indexer } from "../src/indexer/indexer.ts";
import type { Check } from "../src/indexer/integrity.ts";
import type { IntegrityRecord } from "../src/indexer/integrityPolicy.ts";
import type { Store } from "../src/store/store.ts";
import { SimulatedChain } from "./support/simulatedChain.ts";
import type { Call } from "./support/simulatedMethods.ts";
import { openTrial } from "./support/trial.ts";
import type { WireReceipt } from "./support/wireForm.ts";

const AUTO = { indexer: { integrity: "auto" } } as const;
const LENGTH = 40;

async function record(store: Store): Promise<IntegrityRecord> {
  return JSON.parse((await store.meta("integrity"))!) as IntegrityRecord;
}

const isBlock = ({ method, params }: Call) => method.startsWith("eth_getBlockBy") && params[1] === true;

/** What every block of a strange chain is like, and the check that cannot hold there. */
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

    assert.equal((await store.blocks.tip())!.number, LENGTH);
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

  assert.equal((await store.blocks.tip())!.number, LENGTH);
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
  assert.equal((await trial.store.blocks.tip())!.number, 20);
  trial.node.faults.clear();
  await trial.settle();

  assert.deepEqual((await record(trial.store)).size, { held: 26, failed: 0 });
});

test("blocks count once in the record, those looked at before an unwind too", async (t) => {
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

import assert from "node:assert/strict";
import { test } from "node:test";
import { createApp } from "../src/api/app.ts";
import { Gateway } from "../src/gateway/gateway.ts";
import { Indexer } from "../src/indexer/indexer.ts";
import { textOf } from "../src/jsonrpc/responseBody.ts";
import { openPool } from "../src/source/pool/openPool.ts";
import { auditStore } from "../src/store/audit/audit.ts";
import { SETTINGS } from "./support/api.ts";
import { SimulatedChain } from "./support/simulatedChain.ts";
import type { Call } from "./support/simulatedMethods.ts";
import { openTrial } from "./support/trial.ts";
import type { WireBlock, WireReceipt } from "./support/wireForm.ts";

const HUGE = "x".repeat(200_000);
const PADDING = { l1Fee: "0x5", padding: HUGE, deep: JSON.parse(`${"[".repeat(2000)}${"]".repeat(2000)}`) as unknown };

const isBlock = ({ method, params }: Call) => method.startsWith("eth_getBlockBy") && params[1] === true;

/** Everything that a node may add to its answers, far more of it than anybody needs. */
function pad(call: Call, result: unknown): unknown {
  if (result === null) return result;
  if (isBlock(call)) {
    const { transactions, ...block } = result as WireBlock;
    return { ...block, ...PADDING, transactions: transactions.map((tx) => ({ ...tx, ...PADDING })) };
  }
  if (call.method !== "eth_getBlockReceipts") return result;
  return (result as WireReceipt[]).map((receipt) => ({
    ...receipt,
    ...PADDING,
    logs: receipt.logs.map((log) => ({ ...log, ...PADDING })),
  }));
}

test("unknown fields of any size are not kept, every record and /status say so, and the node is asked for them", async (t) => {
  const chain = new SimulatedChain({ seed: 31, traffic: { transactions: [2, 3] } });
  chain.mine(4);
  const { node, source, store } = await openTrial(t, chain);
  node.faults.set({ respond: pad });
  const app = createApp({ store, source, settings: SETTINGS });
  t.after(() => app.close());
  await new Indexer({ store, source, integrity: "enforce" }).step();
  const get = async (url: string) => {
    const { statusCode, payload } = await app.inject({ url });
    assert.equal(statusCode, 200, url);
    assert.ok(payload.length < 100_000, `${url}: ${payload.length} bytes`);
    return JSON.parse(payload) as Record<string, unknown>;
  };

  assert.equal((await store.latest.blocks.tip())!.number, 4);
  const { block, receipts } = chain.at(3)!;
  const logged = receipts.findIndex(({ logs }) => logs.length > 0);
  const hash = block.transactions[Math.max(logged, 0)]!.hash;
  const records = [
    ...((await get("/api/v2/blocks")).items as object[]),
    await get("/api/v2/blocks/3"),
    await get(`/api/v2/transactions/${hash}`),
    ...((await get(`/api/v2/transactions/${hash}/logs`)).items as object[]),
  ] as { extra: object; extra_omitted: number; hash?: string; block_number?: number }[];
  for (const record of records) {
    assert.deepEqual(record.extra, { l1Fee: "0x5" });
    // A transaction counts those of its receipt too.
    assert.equal(record.extra_omitted, record.hash === hash ? 4 : 2, JSON.stringify(record).slice(0, 200));
  }
  const { integrity } = (await get("/status")) as {
    integrity: Record<string, { failed: number; sample: string }>;
  };
  assert.equal(integrity.extra!.failed, 5);
  assert.match(integrity.extra!.sample, /^block 0: 2 unknown fields of a header are not kept: "padding"$/);
  assert.deepEqual(await store.read(auditStore), []);
  const upstreams = openPool([node.url], { chainId: chain.chainId });
  t.after(() => upstreams.close());
  const rules = { isDevelopment: false, allowed: [], acceptsCellProofs: false, unboundedLogs: false };
  const gateway = new Gateway({ chainId: chain.chainId, upstreams, store, ...rules });
  for (let round = 0; round < 2; round++) {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_getBlockByNumber", params: ["0x3", true] });
    const { result } = JSON.parse(textOf((await gateway.handle(body, false))!)) as { result: { padding: string } };
    assert.equal(result.padding.length, HUGE.length);
  }
});

test("fields that a block commits to are refused where they are longer than any chain has them", async (t) => {
  const chain = new SimulatedChain({ seed: 32 });
  chain.mine(2);
  const many = (count: number, entry: unknown) => Array.from({ length: count }, () => entry);
  const withdrawal = { index: "0x0", validatorIndex: "0x0", address: `0x${"00".repeat(20)}`, amount: "0x1" };
  const lies = {
    extraData: `0x${"00".repeat(65_537)}`,
    uncles: many(65, `0x${"00".repeat(32)}`),
    withdrawals: many(1025, withdrawal),
  };
  for (const [field, value] of Object.entries(lies)) {
    const { node, source, store } = await openTrial(t, chain);
    node.faults.set({
      respond: (call, result) => (isBlock(call) && result !== null ? { ...result, [field]: value } : result),
    });

    const failure = await new Indexer({ store, source, integrity: "observe" }).step().catch((error: Error) => error);

    assert.match(String(failure), new RegExp(`block 0: block.${field}: expected at most`));
    assert.equal(await store.latest.blocks.tip(), undefined);
  }
});

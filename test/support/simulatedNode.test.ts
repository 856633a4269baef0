import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeBlock } from "../../src/chain/block/block.ts";
import { fromHex, toHex } from "../../src/chain/encoding/hex.ts";
import { SimulatedChain } from "./simulatedChain.ts";
import type { DataFault, TransportFault } from "./simulatedFaults.ts";
import type { SimulatedNode } from "./simulatedNode.ts";
import { startSimulatedNode } from "./simulatedNode.ts";
import { simulatedSource } from "./simulatedSource.ts";

interface Answer {
  readonly id: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number };
}

function post(node: SimulatedNode, body: unknown, timeoutMs = 10_000): Promise<Response> {
  return fetch(node.url, { method: "POST", body: JSON.stringify(body), signal: AbortSignal.timeout(timeoutMs) });
}

async function call(node: SimulatedNode, method: string, ...params: unknown[]): Promise<Answer> {
  return (await (await post(node, { jsonrpc: "2.0", id: 1, method, params })).json()) as Answer;
}

async function withNode(run: (node: SimulatedNode, chain: SimulatedChain) => Promise<void>): Promise<void> {
  const chain = new SimulatedChain({ seed: 21, traffic: { transactions: [3, 6] } });
  chain.mine(40);
  const node = await startSimulatedNode(chain);
  try {
    await run(node, chain);
  } finally {
    await node.close();
  }
}

test("a simulated node serves its chain by number, tag and hash, alone and in batches", () =>
  withNode(async (node, chain) => {
    const { block, receipts, hash } = chain.at(30)!;
    const tx = block.transactions[1]!;

    assert.equal((await call(node, "eth_chainId")).result, "0x2a5");
    assert.equal((await call(node, "eth_blockNumber")).result, "0x28");
    assert.deepEqual((await call(node, "eth_getBlockByNumber", "0x1e", true)).result, block);
    assert.deepEqual((await call(node, "eth_getBlockByHash", hash, true)).result, block);
    assert.deepEqual((await call(node, "eth_getBlockReceipts", hash)).result, receipts);
    assert.deepEqual((await call(node, "eth_getBlockReceipts", "0x1e")).result, receipts);
    assert.deepEqual((await call(node, "eth_getTransactionByHash", tx.hash)).result, tx);
    assert.deepEqual((await call(node, "eth_getTransactionReceipt", tx.hash)).result, receipts[1]);
    assert.equal((await call(node, "eth_getBlockByNumber", "0x29", true)).result, null);
    assert.equal((await call(node, "eth_mine")).error?.code, -32601);
    const finalized = (await call(node, "eth_getBlockByNumber", "finalized", false)).result as { number: string };
    assert.equal(finalized.number, "0x18");
    const batch = await (
      await post(node, [
        { id: "a", method: "net_version" },
        { id: "b", method: "eth_chainId" },
      ])
    ).json();
    assert.deepEqual(batch, [
      { jsonrpc: "2.0", id: "a", result: "677" },
      { jsonrpc: "2.0", id: "b", result: "0x2a5" },
    ]);
  }));

async function outcome(node: SimulatedNode, timeoutMs?: number): Promise<string> {
  const batch = [1, 2, 3].map((id) => ({ jsonrpc: "2.0", id, method: "eth_getBlockByNumber", params: ["0x5", true] }));
  try {
    const response = await post(node, batch, timeoutMs);
    if (!response.ok) return `${response.status} ${response.headers.get("retry-after")}`;
    const answers = (await response.json()) as Answer[];
    if (!Array.isArray(answers)) return "an object";
    return answers.map(({ id, error }) => (error === undefined ? id : `${error.code}`)).join(" ");
  } catch (error) {
    return (error as Error).name;
  }
}

const OUTCOMES: Record<TransportFault, RegExp> = {
  tooManyRequests: /^429 7$/,
  unavailable: /^503 null$/,
  html: /^SyntaxError$/,
  tooManyRequestsHtml: /^SyntaxError$/,
  itemErrors: /-32005/,
  batchError: /^an object$/,
  reordered: /^2 3 1$/,
  short: /^[123] [123]$/,
  duplicatedIds: /^1 1 1$/,
  wrongIds: /^10 20 30$/,
  truncated: /^SyntaxError$/,
  reset: /^TypeError$/,
  hang: /^TimeoutError$/,
  drip: /^TimeoutError$/,
  huge: /^1 2 3$/,
  delay: /^1 2 3$/,
};

for (const [fault, expected] of Object.entries(OUTCOMES) as [TransportFault, RegExp][]) {
  test(`a node with the fault ${fault} recovers after one request`, () =>
    withNode(async (node) => {
      node.faults.set({ transport: [fault], requests: 1, retryAfterSeconds: 7, delayMs: 20, hugeBytes: 1 << 20 });

      assert.match(await outcome(node, fault === "hang" || fault === "drip" ? 200 : undefined), expected);
      assert.equal(await outcome(node), "1 2 3");
    }));
}

const DATA_FAULTS: DataFault[] = [
  "nullBlock",
  "emptyTransactions",
  "nullReceipts",
  "emptyReceipts",
  "otherBlockReceipts",
  "duplicatedLog",
  "missingLog",
  "wrongLogIndex",
  "removedLog",
  "zeroBloom",
];

for (const fault of DATA_FAULTS) {
  test(`a node with the fault ${fault} sends something else and leaves the chain alone`, () =>
    withNode(async (node, chain) => {
      const { block, receipts, hash } = chain.at(30)!;
      const before = JSON.stringify([block, receipts]);
      node.faults.set({ data: [fault], methods: ["eth_getBlockByHash", "eth_getBlockReceipts"] });

      const sent = [
        (await call(node, "eth_getBlockByHash", hash, true)).result,
        (await call(node, "eth_getBlockReceipts", hash)).result,
      ];

      assert.notEqual(JSON.stringify(sent), before);
      assert.equal(JSON.stringify([block, receipts]), before);
    }));
}

test("a node can be stale, lack methods and tags, and lie in any field", () =>
  withNode(async (node, chain) => {
    const hash = chain.head.hash;

    node.faults.set({ staleBy: 5 });
    assert.equal((await call(node, "eth_blockNumber")).result, "0x23");
    assert.equal((await call(node, "eth_getBlockByHash", hash, false)).result, null);
    assert.equal((await call(node, "eth_getBlockByNumber", "0x24", false)).result, null);
    node.faults.set({ finalized: "unsupported", chainId: 5, blockReceipts: "byNumberOnly" });
    assert.ok((await call(node, "eth_getBlockByNumber", "finalized", false)).error);
    assert.equal((await call(node, "eth_chainId")).result, "0x5");
    assert.ok((await call(node, "eth_getBlockReceipts", hash)).error);
    assert.ok((await call(node, "eth_getBlockReceipts", "0x5")).result);
    node.faults.set({ otherGenesis: true });
    const genesis = (await call(node, "eth_getBlockByNumber", "0x0", false)).result as { hash: string };
    assert.notEqual(genesis.hash, chain.at(0)!.hash);
    node.faults.set({ respond: (_, result) => ({ ...(result as object), miner: "0x" }) });
    const block = (await call(node, "eth_getBlockByNumber", "0x5", true)).result as { miner: string };
    assert.equal(block.miner, "0x");
    node.faults.clear();
    assert.equal((await call(node, "eth_getBlockByHash", hash, true)).error, undefined);
  }));

test("a simulated source reads the chain as it is at the moment of the call", async () => {
  const chain = new SimulatedChain({ seed: 2 });
  const source = simulatedSource(chain, { authoritative: true, safeDepth: 2, finalizedDepth: 4 });
  chain.mine(10);
  const abandoned = chain.head;

  chain.fork(3, 5);

  const head = await source.head();
  assert.deepEqual([head.number, head.safe, head.finalized], [12, 10, 8]);
  assert.deepEqual(
    (await source.hashes([12, 13])).map((hash) => hash && toHex(hash)),
    [chain.head.hash, undefined],
  );
  assert.equal((await source.blocks(10, 100)).length, 3);
  assert.deepEqual(await source.block(12), decodeBlock(chain.wireBlock(12), chain.wireReceipts(12)));
  assert.equal(toHex((await source.block(fromHex(abandoned.hash)))!.header.hash), abandoned.hash);
  const pending = await source.transaction(fromHex(chain.submit()));
  assert.ok(pending !== undefined && pending.block === undefined);
  await assert.rejects(source.request("eth_mine", []), { code: "upstream_rejected" });
});

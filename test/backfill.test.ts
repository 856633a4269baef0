import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import type { Block } from "../src/chain/block/block.ts";
import type { ChainError } from "../src/chain/error.ts";
import { checkBlock } from "../src/chain/integrity/integrity.ts";
import type { Source } from "../src/chain/source.ts";
import { BACKFILL_DISTANCE, Indexer } from "../src/indexer/indexer.ts";
import { STAGES } from "../src/indexer/stages.ts";
import { BackfillThread } from "../src/source/backfill/backfillThread.ts";
import { Upstream } from "../src/source/upstream.ts";
import { IN_MEMORY } from "../src/store/engine/databases.ts";
import { openStore } from "../src/store/openStore.ts";
import { fingerprint } from "./support/fingerprint/fingerprint.ts";
import { firstSeed } from "./support/seed.ts";
import { SimulatedChain } from "./support/simulatedChain.ts";
import { startSimulatedNode } from "./support/simulatedNode.ts";
import { simulatedSource } from "./support/simulatedSource.ts";
import { until } from "./support/waiting.ts";
import type { WireReceipt } from "./support/wireForm.ts";

const seed = firstSeed();

async function open(t: TestContext, chain: SimulatedChain, idleTimeout?: number) {
  const node = await startSimulatedNode(chain);
  const source = new Upstream({ url: node.url, chainId: chain.chainId });
  const thread = new BackfillThread(
    { urls: [node.url], chainId: chain.chainId, ...(idleTimeout !== undefined && { idleTimeout }) },
    source,
  );
  t.after(async () => {
    await source.close();
    await thread.close();
    await node.close();
  });
  const connections = () => node.requests.filter(({ calls }) => calls[0]?.method === "eth_chainId").length;
  return { node, source, thread, connections };
}

const reasonOf = (asked: Promise<unknown>) =>
  asked.then(
    () => undefined,
    ({ code, message }: ChainError) => ({ code, message }),
  );

test(`a thread fetches the blocks that the source has, and what was verified of them (seed ${seed})`, async (t) => {
  const chain = new SimulatedChain({ seed, traffic: { sharedBlobs: 2 } });
  chain.mine(30);
  const { node, source, thread } = await open(t, chain);
  // Fields that nobody knows, which the block is decoded for from parsed JSON.
  node.faults.set({
    respond: ({ method, params }, result) => {
      if (method === "eth_getBlockByNumber" && params[0] === "0x7") return { ...(result as object), l1Number: "0x1" };
      if (method !== "eth_getBlockReceipts" || params[0] !== chain.at(7)!.block.hash) return result;
      return (result as WireReceipt[]).map(({ logs, ...receipt }) => ({
        ...{ ...receipt, l1Fee: "0x2" },
        logs: logs.map((log) => JSON.parse(JSON.stringify(log).replace("{", '{"__proto__":"0x3",')) as unknown),
      }));
    },
  });
  const all = async (of: Pick<Source, "blocks">) => {
    const blocks: Block[] = [];
    while (blocks.length < 31) blocks.push(...(await of.blocks(blocks.length, 31 - blocks.length)));
    return blocks;
  };

  const [fetched, expected] = await Promise.all([all(thread), all(source)]);

  assert.deepEqual(fetched, expected);
  const { header, receipts } = fetched[7]!;
  assert.equal(header.extra?.l1Number, "0x1");
  assert.equal(receipts[0]!.extra?.l1Fee, "0x2");
  assert.ok(Object.hasOwn(receipts.flatMap(({ logs }) => logs)[0]!.extra!, "__proto__"));
  assert.deepEqual(fetched.map(checkBlock), expected.map(checkBlock));
  assert.deepEqual(await thread.blocks(40, 2), []);
});

test("what the node refuses is refused with the same reason", async (t) => {
  const chain = new SimulatedChain({ seed });
  chain.mine(5);
  const { node, source, thread } = await open(t, chain);
  node.faults.set({ chainId: 1 });

  const [one, other] = await Promise.all([reasonOf(thread.blocks(1, 2)), reasonOf(source.blocks(1, 2))]);

  assert.equal(one?.code, "wrong_chain");
  assert.deepEqual(one, other);
});

test("a thread that is idle ends, and the next request starts another", async (t) => {
  const chain = new SimulatedChain({ seed });
  chain.mine(5);
  const { thread, connections } = await open(t, chain, 1);

  await until("another thread has connected", async () => {
    assert.equal((await thread.blocks(1, 2)).length, 2);
    return connections() > 1;
  });
});

test("what a thread that dies was asked for comes from the source", async (t) => {
  const chain = new SimulatedChain({ seed });
  chain.mine(5);
  const { source } = await open(t, chain);
  const reasons: string[] = [];
  const dying = new BackfillThread({ urls: ["no URL"], onDeath: (reason) => reasons.push(reason) }, source);

  const found = await Promise.all([dying.blocks(1, 2), dying.blocks(3, 1)]);

  assert.deepEqual(
    found.flat().map(({ header }) => header.number),
    [1, 2, 3],
  );
  assert.equal((await dying.blocks(4, 1)).length, 1);
  assert.deepEqual(reasons, ["the address of a node is an http:// or https:// URL"]);
});

test("closing fails what is under way as the closed source does", async (t) => {
  const chain = new SimulatedChain({ seed });
  chain.mine(5);
  const { source, thread } = await open(t, chain);
  const underWay = reasonOf(thread.blocks(1, 2));
  await source.close();
  await thread.close();

  assert.equal((await underWay)?.code, "upstream_unavailable");
});

test(`an index that was backfilled over a reorg is the one made from scratch (seed ${seed})`, async (t) => {
  const chain = new SimulatedChain({ seed, traffic: { transactions: [0, 2], logs: [0, 2], withdrawals: [0, 1] } });
  chain.mine(BACKFILL_DISTANCE + 60);
  const { node, source, thread } = await open(t, chain);
  let fetched = 0;
  const backfill: Pick<Source, "blocks"> = {
    blocks: async (from, count) => {
      const blocks = await thread.blocks(from, count);
      fetched += blocks.length;
      return blocks;
    },
  };
  let hasForked = false;
  node.faults.set({
    respond: ({ method, params }, result) => {
      if (!hasForked && method === "eth_getBlockByNumber" && Number(params[0]) > 200 && params[1] === true) {
        hasForked = true;
        chain.fork(60, 70);
      }
      return result;
    },
  });
  const index = async (options: { source: Source; backfill?: Pick<Source, "blocks"> }) => {
    const store = await openStore(IN_MEMORY, chain.chainId);
    t.after(() => store.close());
    const indexer = new Indexer({ store, stages: STAGES, ...options });
    await until("it is at the head", async () => {
      await indexer.step();
      return (await store.latest.blocks.tip())?.number === chain.head.header.number;
    });
    return store.read(fingerprint);
  };

  const backfilled = await index({ source, backfill });

  assert.ok(hasForked);
  assert.ok(fetched > 200, `${fetched} blocks were backfilled`);
  assert.equal(backfilled, await index({ source: simulatedSource(chain) }));
});

import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { SimulatedChain } from "../../test/support/simulatedChain.ts";
import type { Call } from "../../test/support/simulatedMethods.ts";
import { RpcError } from "../../test/support/simulatedMethods.ts";
import { startSimulatedNode } from "../../test/support/simulatedNode.ts";
import { Upstream } from "../source/upstream.ts";
import { IN_MEMORY } from "../store/engine/databases.ts";
import { openStore } from "../store/openStore.ts";
import { Indexer } from "./indexer.ts";

const LENGTH = 300;
const OLDEST = 150;

const RETRY = { attempts: 2, invalidAttempts: 2, baseMs: 1, maxDelayMs: 2 };

async function open(t: TestContext, fromBlock = 0) {
  const chain = new SimulatedChain({ seed: 8, traffic: { transactions: [1, 2] } });
  chain.mine(LENGTH);
  const node = await startSimulatedNode(chain);
  const source = new Upstream({ url: node.url, chainId: chain.chainId, retry: RETRY });
  const store = await openStore(IN_MEMORY, chain.chainId);
  t.after(async () => {
    await source.close();
    await store.close();
    await node.close();
  });
  const indexer = (from = fromBlock) => new Indexer({ store, source, fromBlock: from });
  return { chain, node, store, indexer };
}

/** A node that has pruned everything below a height. */
function dropping(height: number, methods: RegExp, drop: () => unknown, chain: SimulatedChain) {
  return ({ method, params }: Call, result: unknown) => {
    const id = params[0];
    const isHash = typeof id === "string" && id.length === 66;
    const number = isHash ? blockOf(chain, id) : Number(id);
    return methods.test(method) && number < height && number > 0 ? drop() : result;
  };
}

function blockOf(chain: SimulatedChain, hash: string): number {
  for (let number = 0; number <= chain.head.number; number++) {
    const block = chain.at(number)!;
    if (block.hash === hash || block.block.transactions.some((tx) => tx.hash === hash)) return number;
  }
  return Number.NaN;
}

const REFUSED = () => {
  throw new RpcError(4444, "pruned history unavailable");
};

for (const [how, drop] of [
  ["null", () => null],
  ["an error", REFUSED],
] as const) {
  test(`a node that answers ${how} for old blocks is reported to lack them, with its oldest block`, async (t) => {
    const { chain, node, indexer, store } = await open(t, 5);
    node.faults.set({ respond: dropping(OLDEST, /^eth_getBlockByNumber$/, drop, chain) });

    await assert.rejects(indexer().step(), {
      message: /does not have block 5: its oldest is 150; use a node with all blocks, or begin with --from-block 150$/,
    });
    const later = indexer(OLDEST);
    while ((await later.step()) !== "idle");
    assert.equal((await store.latest.blocks.first())?.header.number, OLDEST);
  });
}

test("an index whose next block was pruned needs another node or another index", async (t) => {
  const { chain, node, indexer } = await open(t);
  node.faults.set({ staleBy: LENGTH - 20 });
  const own = indexer();
  while ((await own.step()) !== "idle");

  node.faults.set({ respond: dropping(OLDEST, /^eth_getBlockByNumber$/, REFUSED, chain) });

  await assert.rejects(own.step(), {
    message: /does not have block 21: .* or begin a new index in another --data directory, with --from-block 150$/,
  });
});

for (const [how, drop] of [
  ["null", () => null],
  ["an error", REFUSED],
] as const) {
  test(`a node that answers ${how} for old receipts is reported to lack them`, async (t) => {
    const { chain, node, indexer } = await open(t, 5);
    node.faults.set({ respond: dropping(OLDEST, /Receipt/, drop, chain) });

    await assert.rejects(indexer().step(), {
      message:
        /does not have the receipts of block 5; use a node that keeps receipts for so long, or begin at a later --from-block/,
    });
  });
}

test("a head below the first block is waited for, in words", async (t) => {
  const { chain, indexer } = await open(t, LENGTH + 2);
  const own = indexer();

  assert.equal(await own.step(), "idle");
  assert.match(
    own.waitsFor ?? "",
    /is at block 300, below --from-block 302; indexing begins when it gets there. To begin now, choose a lower --from-block$/,
  );
  chain.mine(3);

  assert.equal(await own.step(), "appended");
  assert.equal(own.waitsFor, undefined);
});

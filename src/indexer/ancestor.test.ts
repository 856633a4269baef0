import assert from "node:assert/strict";
import { test } from "node:test";
import { SimulatedChain } from "../../test/support/simulatedChain.ts";
import { simulatedSource } from "../../test/support/simulatedSource.ts";
import type { Source } from "../chain/source.ts";
import { IN_MEMORY } from "../store/engine/databases.ts";
import { openStore } from "../store/openStore.ts";
import type { Store } from "../store/store.ts";
import { findAncestor } from "./ancestor.ts";
import { Indexer } from "./indexer.ts";

const LENGTH = 300;

function mined(): SimulatedChain {
  const chain = new SimulatedChain({ seed: 8, traffic: { transactions: [0, 1] } });
  chain.mine(LENGTH);
  return chain;
}

async function indexed(fromBlock = 0): Promise<Store> {
  const chain = mined();
  const store = await openStore(IN_MEMORY, chain.chainId);
  await new Indexer({ store, source: simulatedSource(chain), fromBlock }).step();
  return store;
}

function forked(depth: number): Source & { readonly asked: number[] } {
  const chain = mined();
  if (depth > 0) chain.fork(depth, depth);
  const source = simulatedSource(chain);
  const asked: number[] = [];
  return {
    ...source,
    asked,
    hashes: (numbers) => {
      asked.push(numbers.length);
      return source.hashes(numbers);
    },
  };
}

test("the ancestor is the newest block both have, at every depth around a request's end", async () => {
  const store = await indexed();

  for (const depth of [0, 1, 2, 31, 32, 33, 40, 63, 64, 65, 199, 200, 250, 254, 255, 256]) {
    assert.equal(await findAncestor(store, forked(depth), LENGTH), LENGTH - depth, `depth ${depth}`);
  }
  await store.close();
});

test("the common ancestor is found in few requests of at most 32 blocks, however deep it is", async () => {
  const store = await indexed();

  for (const [depth, asked] of [
    [3, [32]],
    [31, [32]],
    [40, [32, 29, 7]],
    [250, [32, 29, 7]],
  ] as const) {
    const source = forked(depth);
    await findAncestor(store, source, LENGTH);
    assert.deepEqual(source.asked, asked, `depth ${depth}`);
  }
  await store.close();
});

test("a source that lacks blocks we hold has an ancestor below them", async () => {
  const store = await indexed();
  const source = forked(0);
  const short = {
    ...source,
    hashes: async (numbers: readonly number[]) =>
      (await source.hashes(numbers)).map((hash, i) => (numbers[i]! > LENGTH - 50 ? undefined : hash)),
  };

  assert.equal(await findAncestor(store, short, LENGTH), LENGTH - 50);
  await store.close();
});

test("the search ends at the unwind limit and at the first indexed block", async () => {
  for (const fromBlock of [0, 280]) {
    const store = await indexed(fromBlock);

    await assert.rejects(findAncestor(store, forked(257), LENGTH), { code: "deep_reorg" });
    await store.close();
  }
});

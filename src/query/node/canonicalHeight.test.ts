import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { SimulatedChain } from "../../../test/support/simulatedChain.ts";
import { simulatedSource } from "../../../test/support/simulatedSource.ts";
import { manualClock } from "../../../test/support/waiting.ts";
import { Indexer } from "../../indexer/indexer.ts";
import { IN_MEMORY } from "../../store/engine/databases.ts";
import { openStore } from "../../store/openStore.ts";
import type { ReadHashes } from "./canonicalHeight.ts";
import { CanonicalHeight, MIN_AGE } from "./canonicalHeight.ts";

const LENGTH = 100;

function mined(): SimulatedChain {
  const chain = new SimulatedChain({ seed: 8, traffic: { transactions: [0, 1] } });
  chain.mine(LENGTH);
  return chain;
}

/** An index, and a node's chain that is equal until it forks. */
async function openBoth(t: TestContext) {
  const [indexed, node] = [mined(), mined()];
  const store = await openStore(IN_MEMORY, indexed.chainId);
  t.after(() => store.close());
  const index = async () => void (await new Indexer({ store, source: simulatedSource(node) }).step());
  await index();
  const source = simulatedSource(node);
  const asked: number[] = [];
  const readHashes: ReadHashes = (numbers) => {
    asked.push(...numbers);
    return source.hashes(numbers);
  };
  return { store, node, index, asked, readHashes };
}

test("it is the height of the newest block that index and node share", async (t) => {
  const { store, node, readHashes } = await openBoth(t);
  const canonical = new CanonicalHeight(store, readHashes);

  assert.equal(await canonical.current(), LENGTH);
  assert.equal(canonical.forkedAt, undefined);
  for (const [depth, length, shared] of [
    [3, 0, LENGTH - 3],
    [2, 4, LENGTH - 5],
    [60, 200, 39],
    [1, 5, 39],
  ] as const) {
    node.fork(depth, length);
    canonical.expire();
    assert.equal(await canonical.current(), shared, `depth ${depth}`);
    assert.equal(canonical.forkedAt, length === 0 ? undefined : shared);
  }
  assert.equal(canonical.reorgs, 3);
});

test("a node that agrees is asked for one block, and not again at once", async (t) => {
  const { store, readHashes, asked } = await openBoth(t);
  const clock = manualClock();
  const canonical = new CanonicalHeight(store, readHashes, { now: clock.now });

  await Promise.all([canonical.current(), canonical.current()]);
  await canonical.current();
  assert.deepEqual(asked, [LENGTH]);
  clock.advance(MIN_AGE);
  await canonical.current();
  assert.deepEqual(asked, [LENGTH, LENGTH]);
  canonical.noteHeight(LENGTH);
  canonical.noteHeight(LENGTH - 1);
  assert.equal(canonical.isFresh, false);
});

test("blocks that the index gets later are canonical once the node was asked for them", async (t) => {
  const { store, node, index, readHashes } = await openBoth(t);
  const canonical = new CanonicalHeight(store, readHashes);
  await canonical.current();

  node.mine(2);
  await index();

  assert.equal(canonical.known, LENGTH);
  canonical.expire();
  assert.equal(await canonical.current(), LENGTH + 2);
  assert.equal(canonical.reorgs, 0);
});

test("an unreachable or hanging node is not awaited, and the last known fork stands", async (t) => {
  const { store, node, readHashes } = await openBoth(t);
  let answers: "all" | "never" | "fails" = "fails";
  const ask: ReadHashes = (numbers) => {
    if (answers === "fails") return Promise.reject(new Error("away"));
    return answers === "never" ? new Promise(() => {}) : readHashes(numbers);
  };
  const away = new CanonicalHeight(store, ask);
  assert.equal(await away.current(), Number.POSITIVE_INFINITY);

  answers = "all";
  const clock = manualClock();
  const canonical = new CanonicalHeight(store, ask, { deadline: 1000, now: clock.now });
  node.fork(10, 20);
  assert.equal(await canonical.current(), LENGTH - 10);
  answers = "never";
  canonical.expire();
  let isOver = false;
  const first = canonical.current().finally(() => {
    isOver = true;
  });
  clock.advance(1000);
  for (let times = 0; times < 20; times++) assert.equal(await canonical.current(), LENGTH - 10);
  assert.equal(isOver, false, "only the first call waits until the deadline");
  assert.equal(await first, LENGTH - 10);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { Indexer } from "../src/indexer/indexer.ts";
import { STAGES } from "../src/indexer/stages.ts";
import { auditStore } from "../src/store/audit/audit.ts";
import { IN_MEMORY } from "../src/store/engine/databases.ts";
import { openStore } from "../src/store/openStore.ts";
import type { Store } from "../src/store/store.ts";
import { fingerprint } from "./support/fingerprint/fingerprint.ts";
import { Random } from "./support/random.ts";
import { firstSeed } from "./support/seed.ts";
import { SimulatedChain } from "./support/simulatedChain.ts";
import { simulatedSource } from "./support/simulatedSource.ts";
import { openWithSmallRuns } from "./support/smallRuns.ts";

const CASES = Number(process.env.ORIEL_CASES ?? 4);
const SEED = firstSeed();

async function settle(store: Store, chain: SimulatedChain, tokens = false): Promise<void> {
  const indexer = new Indexer({ store, source: simulatedSource(chain), stages: tokens ? STAGES : [] });
  while ((await indexer.step()) !== "idle") await expectCursor(store, tokens);
  assert.equal((await store.latest.blocks.tip())?.number, chain.head.number);
}

async function expectCursor(store: Store, tokens: boolean): Promise<void> {
  const tip = (await store.latest.blocks.tip())!;
  const stages = await store.latest.stages();
  assert.deepEqual(
    stages.map(({ name, block }) => [name, block]),
    ["core", ...(tokens ? ["exchange", "tokens"] : [])].map((name) => [name, tip.number]),
  );
  assert.deepEqual(stages[0]!.digest, tip.digest);
}

async function fromScratch(chain: SimulatedChain, tokens = false): Promise<string> {
  const store = await openStore(IN_MEMORY, chain.chainId);
  await settle(store, chain, tokens);
  const print = await store.read(fingerprint);
  await store.close();
  return print;
}

/**
 * Mostly short chains, so that many fit; now and then one with deep reorgs, or with lists of several runs. Every other
 * store packs its keys, and ends as one that does not.
 */
async function trial(seed: number): Promise<void> {
  const random = new Random(seed);
  const isDeep = random.chance(0.02);
  const tokens = random.chance(0.5);
  const often = {
    miners: random.pick([1, 4, 12]),
    sharedBlobs: random.int(4),
    pools: random.int(3),
    blockTime: random.pick([[1, 12] as const, [0, 40_000] as const, [-40_000, 200_000] as const]),
  };
  const traffic = random.chance(0.05)
    ? { ...often, addresses: 12, logs: [0, 40] as const }
    : { ...often, transactions: [0, 4] as const };
  const chain = new SimulatedChain({ seed, traffic });
  const store = await (seed % 2 === 0 ? openWithSmallRuns(chain.chainId) : openStore(IN_MEMORY, chain.chainId));
  for (let round = 0; round < 3; round++) {
    chain.mine(random.between(1, isDeep ? 40 : 5));
    if (random.chance(0.9)) await settle(store, chain, tokens);
    const depth = random.between(1, Math.min(isDeep ? 64 : 8, chain.length - 1));
    chain.fork(depth, depth + random.int(3));
    if (random.chance(0.5)) await settle(store, chain, tokens);
  }
  await settle(store, chain, tokens);
  assert.equal(await store.read(fingerprint), await fromScratch(chain, tokens), `seed ${seed}`);
  assert.deepEqual(await store.read(auditStore), [], `seed ${seed}`);
  for (const { stage, events } of STAGES) {
    assert.deepEqual(await store.read((session) => stage.audit(session, events)), [], `seed ${seed}`);
  }
  await store.close();
}

test(`${CASES} random chains with random reorgs end as a from-scratch index (seed ${SEED})`, async () => {
  for (let seed = SEED; seed < SEED + CASES; seed++) await trial(seed);
});

for (const depth of [64, 128, 157, 256]) {
  test(`a reorg ${depth} blocks deep is followed`, async () => {
    const chain = new SimulatedChain({ seed: depth });
    const store = await openStore(IN_MEMORY, chain.chainId);
    chain.mine(300);
    await settle(store, chain, true);
    chain.fork(depth, depth + 1);
    await settle(store, chain, true);

    assert.equal(await store.read(fingerprint), await fromScratch(chain, true));
    await store.close();
  });
}

test("a reorg deeper than 256 blocks stops the index and changes nothing", async () => {
  const chain = new SimulatedChain({ seed: 5 });
  const store = await openStore(IN_MEMORY, chain.chainId);
  chain.mine(300);
  await settle(store, chain);
  const before = await store.read(fingerprint);
  chain.fork(257, 260);
  const indexer = new Indexer({ store, source: simulatedSource(chain) });

  await assert.rejects(indexer.step(), { code: "deep_reorg" });
  assert.equal(await store.read(fingerprint), before);
  await store.close();
});

test("blocks whose journal is gone stay where they are, even after the tip went back to them", async () => {
  const chain = new SimulatedChain({ seed: 6 });
  const store = await openStore(IN_MEMORY, chain.chainId);
  for (let i = 0; i < 3; i++) {
    chain.mine(100);
    await settle(store, chain);
  }
  await store.unwind(100);

  await assert.rejects(store.unwind(30), { code: "deep_reorg" });
  await store.unwind(50);
  await settle(store, chain);

  assert.equal(await store.read(fingerprint), await fromScratch(chain));
  await store.close();
});

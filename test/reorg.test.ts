import assert from "node:assert/strict";
import { test } from "node:test";
import { Indexer } from "../src/indexer/indexer.ts";
import { fingerprint } from "../src/store/fingerprint.ts";
import { Store } from "../src/store/store.ts";
import { Random } from "./support/random.ts";
import { SimulatedChain } from "./support/simulatedChain.ts";
import { simulatedSource } from "./support/simulatedSource.ts";

const CASES = Number(process.env.ORIEL_CASES ?? 1000);
const SEED = Number(process.env.ORIEL_SEED ?? Math.floor(Math.random() * 2 ** 31));

async function settle(store: Store, chain: SimulatedChain): Promise<void> {
  const indexer = new Indexer({ store, source: simulatedSource(chain) });
  while ((await indexer.step()) !== "idle");
  assert.equal((await store.blocks.tip())?.number, chain.head.number);
}

async function fromScratch(chain: SimulatedChain): Promise<string> {
  const store = await Store.inMemory(chain.chainId);
  await settle(store, chain);
  const print = await fingerprint(store);
  await store.close();
  return print;
}

test(`${CASES} random chains with random reorgs end as a from-scratch index (seed ${SEED})`, async () => {
  for (let seed = SEED; seed < SEED + CASES; seed++) {
    const random = new Random(seed);
    const chain = new SimulatedChain({
      seed,
      traffic: { addresses: random.pick([12, 30]), logs: [0, random.pick([3, 40])] },
    });
    const store = await Store.inMemory(chain.chainId);
    for (let round = 0; round < 4; round++) {
      chain.mine(random.between(1, 20));
      if (random.chance(0.8)) await settle(store, chain);
      const depth = random.between(1, Math.min(64, chain.length - 1));
      chain.fork(depth, depth + random.int(4));
      if (random.chance(0.8)) await settle(store, chain);
    }
    await settle(store, chain);

    assert.equal(await fingerprint(store), await fromScratch(chain), `seed ${seed}`);
    await store.close();
  }
});

for (const depth of [64, 128, 157, 256]) {
  test(`a reorg ${depth} blocks deep is followed`, async () => {
    const chain = new SimulatedChain({ seed: depth });
    const store = await Store.inMemory(chain.chainId);
    chain.mine(300);
    await settle(store, chain);
    chain.fork(depth, depth + 1);
    await settle(store, chain);

    assert.equal(await fingerprint(store), await fromScratch(chain));
    await store.close();
  });
}

test("a reorg deeper than 256 blocks stops the index and changes nothing", async () => {
  const chain = new SimulatedChain({ seed: 5 });
  const store = await Store.inMemory(chain.chainId);
  chain.mine(300);
  await settle(store, chain);
  const before = await fingerprint(store);
  chain.fork(257, 260);
  const indexer = new Indexer({ store, source: simulatedSource(chain) });

  await assert.rejects(indexer.step(), { code: "deep_reorg" });
  assert.equal(await fingerprint(store), before);
  await store.close();
});

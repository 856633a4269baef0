import assert from "node:assert/strict";
import { test } from "node:test";
import { fingerprint } from "../../test/support/fingerprint/fingerprint.ts";
import { SimulatedChain } from "../../test/support/simulatedChain.ts";
import { simulatedSource } from "../../test/support/simulatedSource.ts";
import { IN_MEMORY } from "../store/engine/databases.ts";
import { openStore } from "../store/openStore.ts";
import { CONFIRM_MILLISECONDS } from "./branches.ts";
import type { IndexerEvent } from "./indexer.ts";
import { Indexer } from "./indexer.ts";
import { STAGES } from "./stages.ts";

const LENGTH = 300;

async function follow(chain: SimulatedChain, fromBlock: number) {
  const store = await openStore(IN_MEMORY, chain.chainId);
  const indexer = new Indexer({ store, source: simulatedSource(chain), fromBlock });
  while ((await indexer.step()) !== "idle");
  return { store, indexer };
}

test("a reorg below the first block of a young index begins it again", async () => {
  const chain = new SimulatedChain({ seed: 8, traffic: { transactions: [0, 2] } });
  chain.mine(LENGTH);
  const { store, indexer } = await follow(chain, LENGTH - 1);
  chain.fork(4, 6);
  const steps = [await indexer.step(), await indexer.step()];
  const fresh = await follow(chain, LENGTH - 1);

  assert.deepEqual(steps, ["cleared", "appended"]);
  assert.equal(await store.read(fingerprint), await fresh.store.read(fingerprint));
  await store.close();
  await fresh.store.close();
});

test("an index too long to be unwound is kept when the chain leaves it below its first block", async () => {
  const chain = new SimulatedChain({ seed: 8, traffic: { transactions: [0, 1] } });
  chain.mine(LENGTH);
  const { store, indexer } = await follow(chain, 20);
  chain.fork(LENGTH - 10, LENGTH);

  await assert.rejects(indexer.step(), { code: "deep_reorg" });
  assert.equal((await store.latest.blocks.tip())?.number, LENGTH);
  await store.close();
});

test("derived is emitted once a stage has caught up, and only then", async () => {
  const chain = new SimulatedChain({ seed: 8, traffic: { transactions: [0, 1] } });
  chain.mine(LENGTH);
  const { store } = await follow(chain, 20);
  const events: IndexerEvent[] = [];
  const onEvent = (event: IndexerEvent) => events.push(event);

  for (let start = 0; start < 2; start++) {
    const indexer = new Indexer({ store, source: simulatedSource(chain), stages: STAGES, onEvent });
    while ((await indexer.step()) !== "idle");
  }

  assert.deepEqual(
    events.map((event) => event.kind === "derived" && event.blocks),
    STAGES.map(() => LENGTH - 20 + 1),
  );
  await store.close();
});

test("a young index is not cleared for a branch below its first block that is lower and has not held", async () => {
  const chain = new SimulatedChain({ seed: 8, traffic: { transactions: [0, 2] } });
  chain.mine(LENGTH);
  const store = await openStore(IN_MEMORY, chain.chainId);
  let now = 0;
  const indexer = new Indexer({ store, source: simulatedSource(chain), fromBlock: LENGTH - 3, now: () => now });
  while ((await indexer.step()) !== "idle");
  chain.fork(8, 6);

  for (; now < CONFIRM_MILLISECONDS; now += 1000) await assert.rejects(indexer.step(), { code: "deep_reorg" });
  assert.equal((await store.latest.blocks.tip())?.number, LENGTH);

  assert.equal(await indexer.step(), "cleared");
  await store.close();
});

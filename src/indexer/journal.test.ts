import assert from "node:assert/strict";
import { test } from "node:test";
import { autocommit } from "../../test/support/autocommit.ts";
import { fingerprint } from "../../test/support/fingerprint/fingerprint.ts";
import { SimulatedChain } from "../../test/support/simulatedChain.ts";
import type { SimulatedSourceOptions } from "../../test/support/simulatedSource.ts";
import { simulatedSource } from "../../test/support/simulatedSource.ts";
import type { Block } from "../chain/block/block.ts";
import type { Head, Source } from "../chain/source.ts";
import { IN_MEMORY } from "../store/engine/databases.ts";
import { openStore } from "../store/openStore.ts";
import { JOURNALED_BLOCKS, type Store } from "../store/store.ts";
import { Indexer } from "./indexer.ts";
import { journalFor } from "./journal.ts";
import { STAGES } from "./stages.ts";

const quiet = { transactions: [0, 2] } as const;

async function settle(store: Store, source: Source): Promise<void> {
  const indexer = new Indexer({ store, source, stages: STAGES });
  while ((await indexer.step()) !== "idle");
}

async function expectFromScratch(store: Store, chain: SimulatedChain, options?: SimulatedSourceOptions): Promise<void> {
  const fresh = await openStore(IN_MEMORY, chain.chainId);
  await settle(fresh, simulatedSource(chain, options));
  assert.equal(await store.read(fingerprint), await fresh.read(fingerprint));
  await fresh.close();
}

function lyingOnce(chain: SimulatedChain, by: number): Source {
  const honest = simulatedSource(chain);
  let lies = 1;
  const head = async (): Promise<Head> => {
    const true_ = await honest.head();
    return lies-- > 0 ? { ...true_, number: true_.number + by, hash: new Uint8Array(32).fill(7) } : true_;
  };
  return { ...honest, head };
}

test("one head that is far too high leaves no gap in the journal", async () => {
  const chain = new SimulatedChain({ seed: 5, traffic: quiet });
  chain.mine(300);
  const store = await openStore(IN_MEMORY, chain.chainId);
  await settle(store, simulatedSource(chain));
  chain.mine(1);

  await settle(store, lyingOnce(chain, 1000));
  assert.equal((await store.latest.blocks.tip())!.number, 301);
  chain.fork(1, 2);
  await settle(store, simulatedSource(chain));

  await expectFromScratch(store, chain);
  await store.close();
});

test("blocks that the node does not call finalized can be taken back, however many", async () => {
  const chain = new SimulatedChain({ seed: 6, traffic: quiet });
  const options = { finalizedDepth: 400 };
  chain.mine(420);
  const store = await openStore(IN_MEMORY, chain.chainId);
  await settle(store, simulatedSource(chain, options));

  chain.fork(380, 381);
  await settle(store, simulatedSource(chain, options));

  await expectFromScratch(store, chain, options);
  await store.close();
});

test("the journal has a least and a most depth, whatever the node calls finalized", async () => {
  const chain = new SimulatedChain({ seed: 7, traffic: quiet });
  const source = simulatedSource(chain);
  const { min, max } = JOURNALED_BLOCKS;
  const journalAt = (number: number, finalized: number) =>
    journalFor(source, { number, finalized, safe: finalized, timestamp: 0, hash: new Uint8Array(32) }, number);

  assert.equal((await journalAt(100_000, 100_000)).blocks, min);
  assert.equal((await journalAt(100_000, 100_000 - min - 9)).blocks, min + 9);
  assert.equal((await journalAt(100_000, 0)).blocks, max);
});

test("a far head is believed where the node has its block", async () => {
  const chain = new SimulatedChain({ seed: 7, traffic: quiet });
  chain.mine(400);
  const source = simulatedSource(chain);
  const head = await source.head();

  assert.equal((await journalFor(source, head, 0)).head, 400);
  assert.equal((await journalFor(source, { ...head, number: 900 }, 0)).head, 0);
  assert.equal((await journalFor(source, { ...head, hash: new Uint8Array(32) }, 0)).head, 0);
});

test("blocks before one that cannot be stored are kept, and those after it come when it can be", async () => {
  const chain = new SimulatedChain({ seed: 8, traffic: quiet });
  chain.mine(60);
  const store = await openStore(IN_MEMORY, chain.chainId);
  const indexer = new Indexer({ store, source: simulatedSource(chain), stages: STAGES });
  const refusing = "BEFORE INSERT ON block WHEN NEW.number = 41 BEGIN SELECT RAISE(ABORT, 'no room'); END";
  await autocommit(store.database).run(`CREATE TRIGGER refuse ${refusing}`);

  for (let round = 0; round < 2; round++) await assert.rejects(indexer.step());
  const kept = (await store.latest.blocks.tip())?.number;
  await autocommit(store.database).run("DROP TRIGGER refuse");
  while ((await indexer.step()) !== "idle");

  assert.equal(kept, 40);
  await expectFromScratch(store, chain);
  await store.close();
});

test("blocks after one that the node sent wrongly are committed together again", async () => {
  const chain = new SimulatedChain({ seed: 9, traffic: quiet });
  chain.mine(60);
  const honest = simulatedSource(chain);
  let isLying = true;
  const corrupt = (block: Block): Block => ({ ...block, header: { ...block.header, gasUsed: 1 } });
  const source: Source = {
    ...honest,
    blocks: async (from, count) =>
      (await honest.blocks(from, count)).map((block) => (isLying ? corrupt(block) : block)),
    block: async (id) => {
      const block = await honest.block(id);
      return isLying && block !== undefined ? corrupt(block) : block;
    },
  };
  const store = await openStore(IN_MEMORY, chain.chainId);
  let commits = 0;
  const indexer = new Indexer({ store, source, integrity: "enforce", onProgress: () => commits++ });

  await assert.rejects(indexer.step(), { code: "upstream_invalid" });
  isLying = false;
  while ((await indexer.step()) !== "idle");

  assert.equal((await store.latest.blocks.tip())!.number, 60);
  assert.ok(commits < 15, `${commits} commits`);
  await store.close();
});

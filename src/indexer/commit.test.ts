import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { autocommit } from "../../test/support/autocommit.ts";
import { fingerprint } from "../../test/support/fingerprint/fingerprint.ts";
import { SimulatedChain } from "../../test/support/simulatedChain.ts";
import { simulatedSource } from "../../test/support/simulatedSource.ts";
import type { Block } from "../chain/block/block.ts";
import type { ErrorCode } from "../chain/error.ts";
import { ChainError } from "../chain/error.ts";
import type { Source } from "../chain/source.ts";
import type { Database } from "../store/engine/database.ts";
import { IN_MEMORY } from "../store/engine/databases.ts";
import { openStore } from "../store/openStore.ts";
import type { Store } from "../store/store.ts";
import { Indexer } from "./indexer.ts";
import { STAGES } from "./stages.ts";

const LENGTH = 120;

function mined(): SimulatedChain {
  const chain = new SimulatedChain({ seed: 12, traffic: { logs: [0, 6] } });
  chain.mine(LENGTH);
  return chain;
}

async function index(chain: SimulatedChain, source: Source = simulatedSource(chain)): Promise<Store> {
  const store = await openStore(IN_MEMORY, chain.chainId);
  const indexer = new Indexer({ store, source, stages: STAGES });
  while ((await indexer.step()) !== "idle");
  return store;
}

function watchTransactions(store: Store): { open: number } {
  const watched = { open: 0 };
  const database = store.database as Database;
  const transaction = database.transaction.bind(database);
  database.transaction = (fence, work) =>
    transaction(fence, async (writer) => {
      watched.open++;
      return work(writer).finally(() => watched.open--);
    });
  return watched;
}

test("no write transaction is open while a block is waited for", async () => {
  const chain = mined();
  const source = simulatedSource(chain);
  const gate = Promise.withResolvers<void>();
  const waits = Promise.withResolvers<void>();
  const slow: Source = {
    ...source,
    blocks: async (from, count) => {
      if (from <= 40 && from + count > 40) {
        waits.resolve();
        await gate.promise;
      }
      return source.blocks(from, count);
    },
  };
  const store = await openStore(IN_MEMORY, chain.chainId);
  const watched = watchTransactions(store);
  const indexer = new Indexer({ store, source: slow, stages: STAGES });

  const step = indexer.step();
  await waits.promise;
  for (let turn = 0; turn < 50; turn++) await setImmediate();
  assert.equal(watched.open, 0);
  gate.resolve();
  await step;
  while ((await indexer.step()) !== "idle");

  const plain = await index(chain);
  assert.equal(await store.read(fingerprint), await plain.read(fingerprint));
  await store.close();
  await plain.close();
});

test("a batch that the store refuses is retried block by block, without leftovers", async () => {
  const chain = mined();
  for (const refused of ["add", "commit"] as const) {
    const store = await openStore(IN_MEMORY, chain.chainId);
    const begin = store.begin.bind(store);
    const sizes: number[] = [];
    store.begin = async (options) => {
      const batch = await begin(options);
      const index = sizes.push(0) - 1;
      const add = async (blocks: Block[]) => {
        sizes[index]! += blocks.length;
        const isRefused = index === 0 && refused === "add" && sizes[0]! > 20;
        return batch.add(isRefused ? [...blocks, ...blocks] : blocks);
      };
      return { ...batch, add };
    };
    const database = store.database as Database;
    const transaction = database.transaction.bind(database);
    database.transaction = (fence, work) =>
      transaction(fence, (writer) => {
        const insert = writer.insert.bind(writer);
        writer.insert = async (table, ...rows) => {
          if (refused === "commit" && sizes.length === 1 && table === "tx_hash") throw new Error("the disk is full");
          return insert(table, ...rows);
        };
        return work(writer);
      });
    const indexer = new Indexer({ store, source: simulatedSource(chain), stages: STAGES });

    await assert.rejects(indexer.step());
    assert.equal(await store.latest.blocks.tip(), undefined);
    while ((await indexer.step()) !== "idle");

    const plain = await index(chain);
    assert.equal(await store.read(fingerprint), await plain.read(fingerprint));
    assert.ok(sizes[0]! > 1 && sizes.slice(1).every((size) => size <= 1), `${sizes}`);
    await store.close();
    await plain.close();
  }
});

test("a stage of another version is cleared and derived again", async () => {
  const chain = mined();
  const [store, plain] = [await index(chain), await index(chain)];
  await autocommit(store.database).run("UPDATE stage SET version = version - 1 WHERE name = 'tokens'");
  await autocommit(store.database).run("DELETE FROM holder");
  await autocommit(store.database).run("UPDATE token_rank SET rank = rank - 1");
  chain.mine(3);
  const derived: string[] = [];

  for (const one of [store, plain]) {
    const onEvent = (event: { readonly kind: string }) => one === store && derived.push(event.kind);
    const indexer = new Indexer({ store: one, source: simulatedSource(chain), stages: STAGES, onEvent });
    while ((await indexer.step()) !== "idle");
  }

  assert.deepEqual(derived, ["derived"]);
  assert.equal(await store.read(fingerprint), await plain.read(fingerprint));
  for (const { stage, events } of STAGES) {
    assert.deepEqual(await store.read((session) => stage.audit(session, events)), []);
  }
  await store.close();
  await plain.close();
});

const COMMITS_AFTER: readonly (readonly [codes: readonly ErrorCode[], how: "together" | "one by one"])[] = [
  [["store_unavailable"], "together"],
  [["store_locked"], "together"],
  [["store_unavailable", "store_unavailable"], "one by one"],
  [["internal"], "one by one"],
];
for (const [codes, how] of COMMITS_AFTER) {
  test(`after commits that failed with ${codes.join(" and ")}, blocks are committed ${how}`, async () => {
    const chain = mined();
    const store = await openStore(IN_MEMORY, chain.chainId);
    const database = store.database as Database;
    const transaction = database.transaction.bind(database);
    const failures = [...codes];
    database.transaction = (fence, work) =>
      transaction(fence, (writer) => {
        const insert = writer.insert.bind(writer);
        writer.insert = async (table, ...rows) => {
          const code = table === "block" ? failures.shift() : undefined;
          if (code !== undefined) throw new ChainError(code, "a failure of the database");
          return insert(table, ...rows);
        };
        return work(writer);
      });
    let commits = 0;
    const indexer = new Indexer({ store, source: simulatedSource(chain), stages: STAGES, onProgress: () => commits++ });

    for (const code of codes) await assert.rejects(indexer.step(), { code });
    while ((await indexer.step()) !== "idle");

    assert.equal((await store.latest.blocks.tip())!.number, LENGTH);
    if (how === "together") assert.ok(commits < 15, `${commits} commits`);
    else assert.ok(commits > LENGTH, `${commits} commits`);
    await store.close();
  });
}

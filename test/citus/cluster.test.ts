import assert from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { asChainError } from "../../src/chain/error.ts";
import { Indexer } from "../../src/indexer/indexer.ts";
import { AUDITED_STAGES, STAGES } from "../../src/indexer/stages.ts";
import { auditStore } from "../../src/store/audit/audit.ts";
import { distributeStore } from "../../src/store/distributeStore.ts";
import { IN_MEMORY } from "../../src/store/engine/databases.ts";
import { lockStore, openStore, openStoreReadOnly } from "../../src/store/openStore.ts";
import type { Store } from "../../src/store/store.ts";
import { fingerprint } from "../support/fingerprint/fingerprint.ts";
import { emptyStore } from "../support/postgresServer.ts";
import { Random } from "../support/random.ts";
import { firstSeed } from "../support/seed.ts";
import { SimulatedChain } from "../support/simulatedChain.ts";
import { simulatedSource } from "../support/simulatedSource.ts";
import { eventLoopTurns } from "../support/waiting.ts";
import { CitusCluster } from "./cluster.ts";

const PROGRAMS = process.env.ORIEL_CITUS;
const OPTIONS = PROGRAMS === undefined ? { skip: "ORIEL_CITUS names no folder with the programs of Citus" } : {};
const BLOCKS = Number(process.env.ORIEL_CASES ?? 60);
const SEED = firstSeed();

async function startCluster(t: TestContext): Promise<CitusCluster> {
  const cluster = await CitusCluster.start(PROGRAMS!, mkdtempSync(join(tmpdir(), "oriel-citus-")), 3);
  t.after(() => cluster.stop());
  return cluster;
}

const makeChain = () =>
  new SimulatedChain({ seed: SEED, traffic: { transactions: [0, 5], sharedBlobs: 1, pools: 1, honestTokens: 2 } });

async function catchUp(store: Store, chain: SimulatedChain): Promise<void> {
  const indexer = new Indexer({ store, source: simulatedSource(chain), stages: STAGES });
  while ((await indexer.step()) !== "idle");
}

async function expectFromScratch(url: string, chain: SimulatedChain): Promise<void> {
  await using held = new AsyncDisposableStack();
  const store = held.adopt(await openStoreReadOnly(url), (opened) => opened.close());
  const fresh = held.adopt(await openStore(IN_MEMORY, chain.chainId), (opened) => opened.close());
  await catchUp(fresh, chain);
  assert.deepEqual(await store.read(auditStore), []);
  for (const { stage, events } of AUDITED_STAGES)
    assert.deepEqual(await store.read((session) => stage.audit(session, events)), []);
  assert.deepEqual(await store.read(fingerprint), await fresh.read(fingerprint));
}

/** Reads the newest block, on the coordinator, and its transactions, on workers, until it is told to end. */
async function readWhile(url: string, isOver: () => boolean) {
  const store = await openStoreReadOnly(url);
  const seen = { sessions: 0, refused: 0 };
  while (!isOver()) {
    try {
      await store.read(async ({ blocks, transactions }) => {
        const tip = await blocks.tip();
        if (tip === undefined) return;
        const block = await blocks.byNumber(tip.number);
        const hashes = await transactions.hashesIn(tip.number, 1000);
        assert.equal(hashes.length, block?.sums.transactions, `transactions of block ${tip.number}`);
      });
      seen.sessions++;
    } catch (error) {
      assert.equal(asChainError(error).code, "store_unavailable");
      seen.refused++;
    }
    await eventLoopTurns(1);
  }
  await store.close();
  return seen;
}

test(
  `a cluster that is rebalanced while ${BLOCKS} blocks arrive, and loses workers, has the index from scratch (seed ${SEED})`,
  OPTIONS,
  async (t) => {
    const cluster = await startCluster(t);
    const [spare] = cluster.workers.slice(-1);
    const setSpare = (isUsed: boolean) =>
      cluster.sql(
        cluster.coordinator,
        `SELECT citus_set_node_property('127.0.0.1', ${spare!.port}, 'shouldhaveshards', ${isUsed})`,
      );
    setSpare(false);
    const url = emptyStore(cluster.coordinator.url);
    const [random, chain] = [new Random(SEED), makeChain()];
    let store = await openStore(url, chain.chainId);
    let isOver = false;
    const reading = readWhile(url, () => isOver);
    let rebalancing: Promise<string> | undefined;
    let lost = 0;
    try {
      for (let block = 0; block < BLOCKS; block++) {
        if (random.chance(0.1) && chain.length > 8) chain.fork(random.between(1, 5), 6);
        else chain.mine(1);
        await catchUp(store, chain);
        if (block === Math.floor(BLOCKS / 4)) {
          setSpare(true);
          const sql = "SELECT rebalance_table_shards(shard_transfer_mode => 'block_writes')";
          rebalancing = cluster.sqlAside(cluster.coordinator, sql);
        }
        if (block === Math.floor(BLOCKS / 2)) await rebalancing;
        if (block > BLOCKS / 2 && block % 10 === 0) {
          const worker = random.pick(cluster.workers);
          cluster.kill(worker);
          chain.mine(1);
          await assert.rejects(catchUp(store, chain), { code: "store_unavailable" });
          cluster.resume(worker);
          lost++;
          await store.close();
          store = await openStore(url, chain.chainId);
        }
      }
      await catchUp(store, chain);
    } finally {
      isOver = true;
      await store.close();
    }
    const { sessions, refused } = await reading;
    const placements = "SELECT count(DISTINCT nodeport) FROM citus_shards WHERE citus_table_type = 'distributed'";

    assert.equal(cluster.sql(cluster.coordinator, placements), "3");
    assert.ok(sessions > 0);
    t.diagnostic(`${chain.length} blocks, ${lost} workers lost, ${sessions} sessions of one state, ${refused} refused`);
    await expectFromScratch(url, chain);
  },
);

test("a filled index is distributed once, and not while it is written or read", OPTIONS, async (t) => {
  const cluster = await startCluster(t);
  cluster.sql(cluster.coordinator, "ALTER DATABASE postgres RESET oriel.distributed");
  const url = emptyStore(cluster.coordinator.url);
  const chain = makeChain();
  chain.mine(30);
  const store = await openStore(url, chain.chainId);
  await catchUp(store, chain);
  await store.close();
  const lock = await lockStore(url);
  await assert.rejects(
    distributeStore(url, () => {}),
    { code: "store_locked" },
  );
  await lock.release();
  const reader = await openStoreReadOnly(url);
  await assert.rejects(
    distributeStore(url, () => {}),
    { code: "store_locked", message: /stop them first/ },
  );
  await reader.close();

  const first = await distributeStore(url, () => {});
  const again = await distributeStore(url, () => {});

  assert.deepEqual([first.wasDistributed, again.wasDistributed], [false, true]);
  assert.deepEqual({ ...again, wasDistributed: false }, first);
  await expectFromScratch(url, chain);
});

import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { Indexer } from "../src/indexer/indexer.ts";
import { STAGES } from "../src/indexer/stages.ts";
import { auditStore } from "../src/store/audit/audit.ts";
import { NO_FENCE } from "../src/store/engine/database.ts";
import { databasesAt, IN_MEMORY } from "../src/store/engine/databases.ts";
import { openStore } from "../src/store/openStore.ts";
import type { Store } from "../src/store/store.ts";
import { DevelopmentNode } from "./support/developmentNode.ts";
import { fingerprint } from "./support/fingerprint/fingerprint.ts";
import { serveBodies } from "./support/gatewayChain.ts";
import { emptyStore, postgresUrl, startPostgres } from "./support/postgresServer.ts";
import { get, runProgram, temporaryDirectory } from "./support/program.ts";
import { Random } from "./support/random.ts";
import { firstSeed } from "./support/seed.ts";
import { SimulatedChain } from "./support/simulatedChain.ts";
import { simulatedSource } from "./support/simulatedSource.ts";
import { until } from "./support/waiting.ts";

const CASES = Number(process.env.ORIEL_CASES ?? 2);
const SEED = firstSeed();

const server = await postgresUrl();

async function settle(store: Store, chain: SimulatedChain): Promise<void> {
  const indexer = new Indexer({ store, source: simulatedSource(chain), stages: STAGES });
  while ((await indexer.step()) !== "idle");
}

/** Everything in the two stores, and the digests that chain over it. */
async function expectEqual(stores: readonly Store[], seed: number): Promise<void> {
  const [expected, actual] = await Promise.all(
    stores.map(async (store) => ({
      fingerprint: await store.read(fingerprint),
      stages: await store.latest.stages(),
    })),
  );
  assert.deepEqual(actual, expected, `seed ${seed}`);
}

async function trial(t: TestContext, seed: number): Promise<void> {
  const random = new Random(seed);
  const chain = new SimulatedChain({
    seed,
    traffic: { sharedBlobs: 2, pools: 2, transactions: [0, 4], blockTime: [0, 40_000] },
  });
  const urls = [IN_MEMORY, emptyStore(server)];
  const stores = await Promise.all(urls.map((url) => openStore(url, chain.chainId)));
  t.after(() => Promise.all(stores.map((store) => store.close())));
  for (let round = 0; round < 3; round++) {
    chain.mine(random.between(1, 12));
    for (const store of stores) await settle(store, chain);
    await expectEqual(stores, seed);
    const depth = random.between(1, Math.min(8, chain.length - 1));
    chain.fork(depth, depth + random.int(3));
    for (const store of stores) await settle(store, chain);
    await expectEqual(stores, seed);
  }
  for (const store of stores) assert.deepEqual(await store.read(auditStore), [], `seed ${seed}`);
}

test(`PostgreSQL and SQLite hold the same index of ${CASES} random chains with reorgs (seed ${SEED})`, async (t) => {
  for (let seed = SEED; seed < SEED + CASES; seed++) await trial(t, seed);
});

test("a writer that was silent for too long is replaced, and what it still sends is refused", async (t) => {
  const url = emptyStore(server);
  const first = await openStore(url, 1);
  t.after(() => first.close().catch(() => {}));
  await first.setMeta({ by: "first" });
  const other = await databasesAt(url).open("index");
  t.after(() => other.close());
  await other.transaction(NO_FENCE, (writer) => writer.run("UPDATE writer_lease SET until = '-infinity'"));

  const second = await openStore(url, 1);
  t.after(() => second.close());
  await second.setMeta({ by: "second" });

  await assert.rejects(first.setMeta({ by: "first" }), { code: "store_locked" });
  assert.equal(await second.latest.meta("by"), "second");
});

test("commits that were missed while the subscription was lost are known once it is back", async (t) => {
  const url = emptyStore(server);
  const [writer, reader] = [await databasesAt(url).open("index"), await databasesAt(url).open("index")];
  t.after(() => Promise.all([writer.close(), reader.close()]));
  const commit = () => writer.transaction(NO_FENCE, (own) => own.run("CREATE TABLE IF NOT EXISTS item (id BIGINT)"));
  await commit();
  await until("the version is announced", () => reader.version === writer.version);

  const end =
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND pid <> pg_backend_pid()";
  await writer.all(end);
  await commit();

  await until("the version is known", () => reader.version === writer.version);
});

test("a program answers 503 while its database is away, and serves and indexes again when it is back", async (t) => {
  const database = await startPostgres();
  t.after(() => database.stop());
  const node = await DevelopmentNode.open();
  t.after(() => node.close());
  const { url: rpc } = await serveBodies(t, (body) => node.node.handle(body, true));
  await node.send();
  const args = ["start", "--rpc", rpc, "--data", temporaryDirectory(t), "--port", "0", "--poll", "100"];
  const withPassword = emptyStore(database.url.replace("postgres@", "postgres:sesame@"));
  const program = runProgram(t, [...args, "--store", withPassword]);
  const url = await program.url();
  const indexed = async () => ((await get(`${url}/status`)).body.indexed as { number?: number } | null)?.number;
  await until("the block is indexed", async () => (await indexed()) === 1);

  await database.crash();
  await until("requests are refused", async () => (await get(`${url}/api/v2/blocks`)).status === 503);
  await node.send();
  await database.restart();

  await until("the next block is indexed", async () => (await indexed()) === 2, 60);
  assert.equal((await get(`${url}/api/v2/blocks`)).status, 200);
  assert.doesNotMatch(program.stdout + program.stderr, /sesame/);
});

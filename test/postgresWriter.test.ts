import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { Indexer } from "../src/indexer/indexer.ts";
import { STAGES } from "../src/indexer/stages.ts";
import { auditStore } from "../src/store/audit/audit.ts";
import { databasesAt, IN_MEMORY } from "../src/store/engine/databases.ts";
import { lockStore, openLockedStore, openStore, openStoreReadOnly } from "../src/store/openStore.ts";
import type { Store } from "../src/store/store.ts";
import { fingerprint } from "./support/fingerprint/fingerprint.ts";
import { emptyStore, postgresUrl, startPostgres } from "./support/postgresServer.ts";
import { SimulatedChain } from "./support/simulatedChain.ts";
import { simulatedSource } from "./support/simulatedSource.ts";
import type { TcpProxy } from "./support/tcpProxy.ts";
import { throughProxy } from "./support/tcpProxy.ts";
import { until } from "./support/waiting.ts";

const server = await postgresUrl();

async function query(url: string, sql: string): Promise<unknown[][]> {
  const client = new pg.Client({ connectionString: url.replace(/\?.*/, "") });
  await client.connect();
  try {
    return (await client.query({ text: sql, rowMode: "array" })).rows;
  } finally {
    await client.end();
  }
}

const schemaOf = (url: string) => `${new URL(url).searchParams.get("schema")}_index`;

async function settle(store: Store, chain: SimulatedChain): Promise<void> {
  const indexer = new Indexer({ store, source: simulatedSource(chain), stages: STAGES });
  while ((await indexer.step()) !== "idle");
}

async function expectFromScratch(t: TestContext, store: Store, chain: SimulatedChain): Promise<void> {
  const fresh = await openStore(IN_MEMORY, chain.chainId);
  t.after(() => fresh.close());
  await settle(fresh, chain);
  assert.deepEqual(await store.read(fingerprint), await fresh.read(fingerprint));
  assert.deepEqual(await store.read(auditStore), []);
}

test("versions are of an epoch, which each writer increments, and safe integers", async (t) => {
  const url = emptyStore(server);
  const versions: number[] = [];
  for (let turn = 0; turn < 3; turn++) {
    const store = await openStore(url, 1);
    for (let commit = 0; commit < 2; commit++) {
      await store.setMeta({ turn: `${turn} ${commit}` });
      versions.push(store.version);
    }
    await store.close();
  }
  const reader = await openStoreReadOnly(url);
  t.after(() => reader.close());

  const epochs = versions.map((version) => Math.floor(version / 2 ** 32));
  assert.ok(epochs[0]! < epochs[2]! && epochs[2]! < epochs[4]!, `${epochs}`);
  for (const at of [0, 2, 4]) assert.equal(versions[at + 1], versions[at]! + 1);
  assert.equal(reader.version, versions.at(-1));
  assert.ok(versions.every(Number.isSafeInteger));
  await query(url, `UPDATE ${schemaOf(url)}.writer_lease SET epoch = ${2 ** 21 - 1}`);
  await assert.rejects(lockStore(url), { code: "limit_exceeded" });
});

test("a transaction that takes longer than the lease keeps it, and so does the writer after it", async (t) => {
  const url = emptyStore(server);
  const lock = await lockStore(url, { name: "first" });
  const store = await openLockedStore(url, 1, lock.token);
  t.after(() => store.close());
  const database = await databasesAt(url).open("index");
  t.after(() => database.close());
  const fence = databasesAt(url).fenceOf(lock.token);
  const stopping = new AbortController();
  const held: string[] = [];
  const other = lockStore(url, {
    name: "second",
    standby: { signal: stopping.signal, onWait: (holder) => held.push(holder) },
  });
  other.catch(() => {});

  await database.transaction(fence, async (writer) => {
    await writer.all("SELECT pg_sleep(7)::text");
    await writer.run("CREATE TABLE slow (id BIGINT)");
  });

  assert.equal(await Promise.race([other.then(() => "taken"), delay(1500, "held")]), "held");
  assert.deepEqual(held, ["first"]);
  await lock.release();
  const next = await other;
  assert.equal(next.token!.holder, "second");
  await next.release();
});

/** Cuts the connection at the next commit of some size, before or after the server gets it. */
function cutNextCommit(proxy: TcpProxy, fate: "cut" | "cut after"): () => boolean {
  const written = new Map<unknown, number>();
  let isCut = false;
  proxy.onMessage = (data, client) => {
    if (data.includes("BEGIN ISOLATION LEVEL READ COMMITTED\0")) written.set(client, 0);
    const size = written.get(client);
    if (isCut || size === undefined) return "pass";
    written.set(client, size + data.length);
    if (!data.includes("COMMIT") || size < 3000) return "pass";
    isCut = true;
    return fate;
  };
  return () => isCut;
}

test("a commit whose result was lost is found out, and nothing is written twice", async (t) => {
  const { proxy, url } = await throughProxy(t, server);
  const chain = new SimulatedChain({ seed: 5, traffic: { sharedBlobs: 1, pools: 1, transactions: [0, 4] } });
  const store = await openStore(emptyStore(url), chain.chainId);
  t.after(() => store.close());
  const refused: string[] = [];
  for (const fate of ["cut", "cut after", "cut", "cut after"] as const) {
    chain.mine(3);
    const before = store.version;
    const isCut = cutNextCommit(proxy, fate);
    await settle(store, chain).catch((error: { code: string }) => refused.push(error.code));
    assert.ok(isCut(), "a commit was cut");
    await settle(store, chain);
    assert.ok(store.version > before);
  }

  assert.deepEqual(refused, ["store_unavailable", "store_unavailable"]);
  await expectFromScratch(t, store, chain);
});

test("a writer whose server lost commits forgets what it wrote, and readers follow", async (t) => {
  const primary = await startPostgres();
  t.after(() => primary.stop());
  const replica = await primary.replicate();
  t.after(() => replica.stop());
  const { proxy, url: proxied } = await throughProxy(t, primary.url);
  const url = emptyStore(proxied);
  const chain = new SimulatedChain({ seed: 6, traffic: { sharedBlobs: 1, pools: 1, transactions: [0, 4] } });
  const lock = await lockStore(url);
  const store = await openLockedStore(url, chain.chainId, lock.token);
  const reader = await openStoreReadOnly(url);
  t.after(() => Promise.all([store.close(), reader.close()]));
  chain.mine(5);
  await settle(store, chain);
  const copy = url.replace(String(proxy.port), new URL(replica.url).port);
  const copied = async (sql: string) => (await query(copy, sql))[0]?.[0];
  const version = `SELECT version::text FROM ${schemaOf(url)}.database_version`;
  await until("the replica has it", async () => (await copied(version).catch(() => "")) === String(store.version));
  const kept = store.version;
  const known = (await store.latest.blocks.tip())?.number;
  await query(copy, "ALTER SYSTEM SET primary_conninfo = ''");
  await query(copy, "SELECT pg_reload_conf()");
  await until("replication ends", async () => (await copied("SELECT count(*)::int FROM pg_stat_wal_receiver")) === 0);
  chain.mine(4);
  await settle(store, chain);
  await until("the reader has it", () => reader.version === store.version);

  await primary.crash();
  await query(copy, "SELECT pg_promote()");
  proxy.target = Number(new URL(replica.url).port);
  proxy.cut();

  await until("the reader shows what is left", () => reader.version === kept);
  assert.equal((await reader.latest.blocks.tip())?.number, known);
  chain.mine(1);
  await assert.rejects(settle(store, chain), { code: /store_(changed|unavailable)/ });
  await assert.rejects(store.setMeta({ any: "thing" }), { code: "store_changed" });
  const again = await openLockedStore(url, chain.chainId, lock.token);
  t.after(() => again.close());
  await settle(again, chain);
  await expectFromScratch(t, again, chain);
  await until("the reader follows", () => reader.version === again.version);
});

test("a replica is read until it is too far behind, and again when it has caught up", async (t) => {
  const primary = await startPostgres();
  t.after(() => primary.stop());
  const replica = await primary.replicate();
  t.after(() => replica.stop());
  const url = emptyStore(primary.url);
  const copy = `${replica.url}${new URL(url).search}`;
  const store = await openStore(url, 1);
  t.after(() => store.close());
  await assert.rejects(lockStore(copy), { code: "store_unavailable", message: /is a replica/ });
  await until("there is a copy", async () => {
    const opened = await openStoreReadOnly(copy).catch(() => undefined);
    await opened?.close();
    return opened !== undefined;
  });
  const reader = await openStoreReadOnly(copy, { primary: url });
  t.after(() => reader.close());
  await store.setMeta({ turn: "1" });
  await until("the replica has it", async () => (await reader.latest.meta("turn")) === "1");
  assert.equal(reader.version, store.version);

  await query(copy, "SELECT pg_wal_replay_pause()");
  await store.setMeta({ turn: "2" });
  assert.equal(await reader.latest.meta("turn"), "1", "it may be behind for a while");
  await until("it is refused", async () => {
    const refused = await reader.latest.meta("turn").then(
      () => undefined,
      (error: { code: string }) => error.code,
    );
    return refused === "store_unavailable";
  });
  await query(copy, "SELECT pg_wal_replay_resume()");

  await until("it is read again", async () => (await reader.latest.meta("turn").catch(() => "")) === "2");
});

import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import pg from "pg";
import { DevelopmentNode } from "./support/developmentNode.ts";
import { serveBodies } from "./support/gatewayChain.ts";
import { emptyStore, postgresUrl } from "./support/postgresServer.ts";
import type { Program } from "./support/program.ts";
import { get, runProgram, temporaryDirectory } from "./support/program.ts";
import { until } from "./support/waiting.ts";

const server = await postgresUrl();

interface Status {
  readonly indexed: { readonly number: number } | null;
  readonly indexer: { readonly state: string };
  readonly process: { readonly name: string; readonly role: string };
  readonly writer: { readonly name: string; readonly active: boolean } | null;
  readonly index_age_seconds: number;
}

const statusOf = async (url: string) => (await get(`${url}/status`)).body as unknown as Status;
const indexedBy = async (url: string) => (await statusOf(url)).indexed?.number;
const nameOf = ({ child }: Program) => new RegExp(`:${child.pid}$`);

const schemaOf = (url: string) => `${new URL(url).searchParams.get("schema")}_index`;

async function query(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url.replace(/\?.*/, "") });
  await client.connect();
  await client.query(sql);
  await client.end();
}

async function openChain(t: TestContext) {
  const node = await DevelopmentNode.open();
  t.after(() => node.close());
  const { url: rpc } = await serveBodies(t, (body) => node.node.handle(body, true));
  const store = emptyStore(server);
  const run = (command: string, ...args: string[]) =>
    runProgram(t, [
      ...[command, "--rpc", rpc, "--store", store, "--data", temporaryDirectory(t), "--port", "0"],
      ...(command === "serve" ? [] : ["--poll", "100"]),
      ...args,
    ]);
  return { node, run, store, rpc };
}

test("of two indexers one writes and the other takes over; the server answers throughout and says who writes", async (t) => {
  const { node, run } = await openChain(t);
  await node.send();
  const server = run("serve");
  await until("it waits for an index", () => /waiting for a process that indexes/.test(server.stdout));
  const first = run("index");
  const url = await server.url();
  await until("the block is served", async () => (await indexedBy(url)) === 1);
  const second = run("index");
  const [firstUrl, secondUrl] = [await first.url(), await second.url()];
  await until("the second stands by", () => /stands by/.test(second.stdout));
  const roles = await Promise.all([url, firstUrl, secondUrl].map(statusOf));
  assert.deepEqual(
    roles.map(({ process }) => process.role),
    ["reader", "writer", "standby"],
  );
  for (const { writer } of roles) assert.match(writer!.name, nameOf(first));
  assert.equal((await get(`${secondUrl}/api/v2/blocks`)).status, 404);

  const answers = new Map<number, number>();
  const asking = new AbortController();
  const asked = (async () => {
    while (!asking.signal.aborted) {
      const { status } = await get(`${url}/api/v2/blocks`);
      answers.set(status, (answers.get(status) ?? 0) + 1);
    }
  })();
  await node.send();
  await until("the next block is served", async () => (await indexedBy(url)) === 2);
  second.child.kill("SIGSTOP");
  first.child.kill("SIGKILL");
  await until("nobody writes", async () => (await statusOf(url)).writer?.active === false);
  const { indexer, index_age_seconds: age } = await statusOf(url);
  assert.equal(indexer.state, "stopped");
  const ready = await get(`${url}/ready`);
  assert.equal(ready.status, 200, "it is not behind");
  assert.ok(age >= 4 && Number(ready.body.index_age_seconds) >= age);
  second.child.kill("SIGCONT");
  await node.send();
  await until("the second has taken over", async () => (await indexedBy(url)) === 3);
  assert.match((await statusOf(url)).writer!.name, nameOf(second));
  asking.abort();
  await asked;
  assert.deepEqual([...answers.keys()], [200]);

  const third = run("start");
  const thirdUrl = await third.url();
  assert.equal((await statusOf(thirdUrl)).process.role, "standby");
  await second.stop();
  await node.send();
  await until("it writes at once after the other has left", async () => (await indexedBy(thirdUrl)) === 4);
  assert.equal((await statusOf(thirdUrl)).process.role, "writer");
});

test("an indexer that was stopped for too long notices that it was replaced, and stands by", async (t) => {
  const { node, run } = await openChain(t);
  await node.send();
  const first = run("index");
  const firstUrl = await first.url();
  await until("the block is indexed", async () => (await indexedBy(firstUrl)) === 1);
  const second = run("index");
  const secondUrl = await second.url();
  first.child.kill("SIGSTOP");
  await until("the second writes", async () => (await statusOf(secondUrl)).process.role === "writer");
  first.child.kill("SIGCONT");
  await until("the first stands by", async () => (await statusOf(firstUrl)).process.role === "standby");
  await node.send();
  await until("the second indexes", async () => (await indexedBy(firstUrl)) === 2);
  await second.stop();
  await node.send();
  await until("the first writes again", async () => (await indexedBy(firstUrl)) === 3);
  assert.doesNotMatch(first.stderr + second.stderr, /internal|Error/);
});

test("commands that need a chain of their own are refused with a line", async (t) => {
  for (const command of ["index", "serve"]) {
    const { code, stderr } = await runProgram(t, [command, "--data", temporaryDirectory(t)]).ended;
    assert.equal(code, 2);
    assert.match(stderr, /needs the --rpc of a node/);
  }
});

test("a server refuses the database of another chain", async (t) => {
  const { run } = await openChain(t);
  const first = run("index");
  await first.url();
  const other = await DevelopmentNode.open({ chainId: 4242 });
  t.after(() => other.close());
  const { url: rpc } = await serveBodies(t, (body) => other.node.handle(body, true));
  for (const command of ["serve", "index"]) {
    const { code, stderr } = await run(command, "--rpc", rpc).ended;
    assert.equal(code, 1, stderr);
    assert.match(stderr, /holds chain \d+, not 4242/);
  }
});

test("a database that cannot be used ends the start with one line", async (t) => {
  const { run, store } = await openChain(t);
  const first = run("index");
  await first.url();
  await first.stop();
  await query(store, `UPDATE ${schemaOf(store)}.meta SET value = '99' WHERE name = 'schema'`);
  const reader = `reader_${process.pid}`;
  await query(
    store,
    `CREATE ROLE ${reader} SUPERUSER LOGIN; ALTER ROLE ${reader} SET default_transaction_read_only = on`,
  );
  const cases = [
    [store, /has schema 99, this program knows/],
    [store.replace("postgres@", "nobody:sesame@"), /the database refuses the login: role "nobody" does not exist/],
    [store.replace("postgres@", `${reader}:sesame@`), /the database is read-only/],
    [store.replace("/postgres?", "/missing?").replace("postgres@", "postgres:sesame@"), /the database does not exist/],
    ["postgres://postgres:sesame@127.0.0.1:1/postgres", /the database cannot be reached: connect ECONNREFUSED/],
  ] as const;
  for (const [url, line] of cases) {
    const { code, stderr, stdout } = await run("index", "--store", url).ended;
    assert.equal(code, 1, stderr);
    assert.match(stderr, line);
    assert.equal(stderr.trimEnd().split("\n").length, 1, stderr);
    assert.doesNotMatch(stdout + stderr, /sesame/);
  }
});

test("while the database is read-only indexing pauses and reads go on", async (t) => {
  const { node, run, store } = await openChain(t);
  const role = `writer_${process.pid}`;
  await query(store, `CREATE ROLE ${role} SUPERUSER LOGIN`);
  const end = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${role}'`;
  await node.send();
  const program = run("start", "--store", store.replace("postgres@", `${role}@`));
  const url = await program.url();
  await until("the block is indexed", async () => (await indexedBy(url)) === 1);

  await query(store, `ALTER ROLE ${role} SET default_transaction_read_only = on`);
  await query(store, end);
  await node.send();
  await until("indexing pauses", () => /indexing is waiting: the database is read-only/.test(program.stdout));
  await until("reads go on", async () => (await get(`${url}/api/v2/blocks`)).status === 200);
  assert.equal(await indexedBy(url), 1);
  await query(store, `ALTER ROLE ${role} RESET default_transaction_read_only`);
  await query(store, end);

  await until("it goes on", async () => (await indexedBy(url).catch(() => undefined)) === 2);
  assert.equal(program.stderr, "");
});

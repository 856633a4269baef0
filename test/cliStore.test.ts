import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { TestContext } from "node:test";
import { after, before, test } from "node:test";
import { Indexer } from "../src/indexer/indexer.ts";
import { openStore } from "../src/store/openStore.ts";
import { makeTemporaryDirectory, runProgram, temporaryDirectory } from "./support/program.ts";
import { SimulatedChain } from "./support/simulatedChain.ts";
import type { SimulatedNode } from "./support/simulatedNode.ts";
import { startSimulatedNode } from "./support/simulatedNode.ts";
import { simulatedSource } from "./support/simulatedSource.ts";
import { Honest } from "./support/trial.ts";
import { until } from "./support/waiting.ts";

const chain = new SimulatedChain({ seed: 41, traffic: { addresses: 12 } });
const { directory: good, remove } = makeTemporaryDirectory();
let node: SimulatedNode;

before(async () => {
  chain.mine(80);
  node = await startSimulatedNode(chain);
  const store = await openStore(good, chain.chainId);
  const indexer = new Indexer({ store, source: simulatedSource(chain) });
  while ((await indexer.step()) !== "idle");
  await store.close();
});

after(async () => {
  await node.close();
  remove();
});

const run = (t: TestContext, ...args: string[]) => runProgram(t, args, { cwd: temporaryDirectory(t) }).ended;

test("audit of a correct index finds nothing, also compared with the node", async (t) => {
  const { code, stdout, stderr } = await run(t, "audit", "--data", good, "--rpc", node.url, "--samples", "30");

  assert.deepEqual([code, stderr], [0, ""]);
  assert.match(stdout, /up to block 80\ncompared 30 blocks with http:\S+\nno differences\n$/);
});

const DAMAGE = {
  "a byte of a transaction":
    "UPDATE tx SET body = CAST(substr(body, 1, length(body) - 1) || x'7f' AS BLOB) WHERE position = (SELECT max(position) FROM tx)",
  "a list without its tail": "DELETE FROM address_tx_tail WHERE owner = (SELECT min(owner) FROM address_tx_tail)",
  "a counter":
    "UPDATE address_tx_tail SET sent = x'010100' WHERE owner = (SELECT max(owner) FROM address_tx_tail WHERE length(sent) > 0)",
  "a hash that is not indexed": "DELETE FROM tx_hash WHERE prefix = (SELECT min(prefix) FROM tx_hash)",
  "a block hash that is not indexed": "DELETE FROM block_hash WHERE value = 7",
  "a block": "DELETE FROM block WHERE number = 40",
  "an address that is another": "UPDATE address SET value = zeroblob(20) WHERE id = 3",
  "a cursor that is not at the tip": "UPDATE stage SET block = block - 1",
};

for (const [what, sql] of Object.entries(DAMAGE)) {
  test(`audit finds ${what}`, async (t) => {
    const data = join(temporaryDirectory(t), "data");
    cpSync(good, data, { recursive: true });
    const database = new DatabaseSync(join(data, "index.sqlite"));
    assert.ok(database.prepare(sql).run().changes > 0);
    database.close();

    const { code, stdout, stderr } = await run(t, "audit", "--data", data);

    assert.equal(code, 1, stdout);
    assert.notEqual(stderr, "");
    assert.doesNotMatch(stderr, /\n\s+at /);
  });
}

test("audit finds what the node says otherwise", async (t) => {
  const fork = new SimulatedChain({ seed: 41, traffic: { addresses: 12 } });
  fork.mine(70);
  fork.fork(1, 20);
  const other = await startSimulatedNode(fork);
  t.after(() => other.close());

  const { code, stderr } = await run(t, "audit", "--data", good, "--rpc", other.url, "--samples", "81");

  assert.equal(code, 1);
  assert.match(stderr, /^the node has another block 70\n/);
});

test("status reads a server, else the data directory, else says that there is nothing", async (t) => {
  const data = join(temporaryDirectory(t), "data");
  cpSync(good, data, { recursive: true });
  const server = runProgram(t, ["start", "--rpc", node.url, "--data", data, "--port", "0"]);
  const { port } = new URL(await server.url());

  const served = await run(t, "status", "--port", port);
  await server.stop();
  const read = await run(t, "status", "--port", port, "--data", data);
  const nothing = await run(t, "status", "--port", port);

  assert.equal(served.code, 0);
  assert.match(served.stdout, /^server +http:.*\nchain +677 \(Chain 677\)\n/);
  assert.match(served.stdout, new RegExp(`^indexed +80 ${chain.head.hash}$`, "m"));
  assert.equal(read.code, 0);
  assert.match(read.stdout, /^server +none on 127\.0\.0\.1/);
  assert.match(read.stdout, new RegExp(`^indexed +80 ${chain.head.hash}$`, "m"));
  assert.equal(nothing.code, 1);
  assert.match(nothing.stderr, /^oriel: nothing serves on 127\.0\.0\.1:\d+, and there is no index in data yet\n$/);
});

test("status of a data directory is about that directory, whatever serves elsewhere", async (t) => {
  const data = join(temporaryDirectory(t), "data");
  cpSync(good, data, { recursive: true });
  const other = new SimulatedChain({ seed: 5, traffic: { transactions: [0, 1] } });
  other.mine(3);
  const upstream = await startSimulatedNode(other);
  t.after(() => upstream.close());
  const server = runProgram(t, ["start", "--rpc", upstream.url, "--data", temporaryDirectory(t), "--port", "0"]);
  const { port } = new URL(await server.url());
  const environment = { ORIEL_PORT: port };

  const named = await runProgram(t, ["status", "--data", data], { environment }).ended;
  const nowhere = await runProgram(t, ["status", "--data", join(data, "nothing"), "--network", "testnet"], {
    environment,
  }).ended;
  const unnamed = await runProgram(t, ["status"], { environment: { ...environment, ORIEL_DATA: data } }).ended;

  assert.equal(named.code, 0);
  assert.match(named.stdout, new RegExp(`^data +${data}\nchain +677\nindexed +80 ${chain.head.hash}\n`));
  assert.equal(nowhere.code, 1);
  assert.match(nowhere.stderr, /^oriel: there is no index in \S+nothing\/testnet yet\n$/);
  assert.match(unnamed.stdout, /^server +http:/);
});

test("a backup during ingest opens and equals an index up to its tip", async (t) => {
  const busy = new SimulatedChain({ seed: 42, traffic: { transactions: [0, 3] } });
  busy.mine(40);
  const upstream = await startSimulatedNode(busy);
  t.after(() => upstream.close());
  const data = temporaryDirectory(t);
  const copy = temporaryDirectory(t);
  const server = runProgram(t, ["start", "--rpc", upstream.url, "--data", data, "--port", "0", "--poll", "50"]);
  await until("blocks are indexed", () => /block \d+ of/.test(server.stdout));
  const living = setInterval(() => busy.mine(2), 10);
  t.after(() => clearInterval(living));
  const to = join(copy, "index.sqlite");

  const { code, stdout } = await run(t, "backup", "--data", data, "--to", to);
  const again = await run(t, "backup", "--data", data, "--to", to);
  const nowhere = await run(t, "backup", "--data", data, "--to", join(copy, "nowhere", "index.sqlite"));

  assert.equal(code, 0);
  assert.match(stdout, /^copied the index up to block \d+ to /);
  assert.deepEqual([again.code, again.stderr], [2, `oriel: ${to} is there already; backup overwrites nothing\n`]);
  assert.deepEqual([nowhere.code, nowhere.stderr], [2, `oriel: there is no directory ${join(copy, "nowhere")}\n`]);
  const tip = await new Honest([busy]).expectIn(copy);
  assert.equal(tip?.number, Number(/block (\d+)/.exec(stdout)![1]));
});

test("a backup that cannot be written says so and leaves nothing", async (t) => {
  const directory = temporaryDirectory(t);
  const nowhere = await run(t, "backup", "--data", good, "--to", join(directory, "absent", "copy"));
  const nothing = await run(t, "backup", "--data", join(directory, "empty"), "--to", join(directory, "copy"));
  mkdirSync(join(directory, "bad"));
  writeFileSync(join(directory, "bad", "index.sqlite"), "no database at all ".repeat(1000));
  const bad = await run(t, "backup", "--data", join(directory, "bad"), "--to", join(directory, "copy"));

  assert.deepEqual([nowhere.code, nothing.code, bad.code], [2, 1, 1]);
  for (const { stderr } of [nowhere, nothing, bad]) assert.match(stderr, /^oriel: [^\n]+\n$/);
  assert.equal(existsSync(join(directory, "copy")), false);
});

test("a backup that is killed leaves no file of its name, and the next one succeeds", async (t) => {
  const directory = temporaryDirectory(t);
  const to = join(directory, "copy.sqlite");
  const killed = runProgram(t, ["backup", "--data", good, "--to", to], { cwd: directory });
  await until("the copy is begun", () => existsSync(`${to}.partial`) || existsSync(to));
  await killed.stop("SIGKILL");
  const wasWhole = existsSync(to);
  writeFileSync(`${to}.partial`, "what an interrupted backup left behind");

  const { code, stderr } = await run(t, "backup", "--data", good, "--to", to);

  assert.deepEqual([code, existsSync(`${to}.partial`)], wasWhole ? [2, true] : [0, false], stderr);
  mkdirSync(join(directory, "restored"));
  cpSync(to, join(directory, "restored", "index.sqlite"));
  const { stdout } = await run(t, "audit", "--data", join(directory, "restored"));
  assert.match(stdout, /up to block 80\n(.*\n)*no differences\n$/);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { Indexer } from "../src/indexer/indexer.ts";
import { STAGES } from "../src/indexer/stages.ts";
import { auditStore } from "../src/store/audit/audit.ts";
import { ContractStore } from "../src/store/contracts/contractStore.ts";
import type { CopyProgress } from "../src/store/copyStore.ts";
import { copyStore } from "../src/store/copyStore.ts";
import { NO_FENCE } from "../src/store/engine/database.ts";
import { databasesAt } from "../src/store/engine/databases.ts";
import { openStore, openStoreReadOnly } from "../src/store/openStore.ts";
import { fingerprint } from "./support/fingerprint/fingerprint.ts";
import { emptyStore, postgresUrl } from "./support/postgresServer.ts";
import { runProgram, temporaryDirectory } from "./support/program.ts";
import { SimulatedChain } from "./support/simulatedChain.ts";
import { simulatedSource } from "./support/simulatedSource.ts";

const server = await postgresUrl();

async function index(url: string, chain: SimulatedChain): Promise<void> {
  const store = await openStore(url, chain.chainId);
  const indexer = new Indexer({ store, source: simulatedSource(chain), stages: STAGES });
  while ((await indexer.step()) !== "idle");
  await store.close();
}

async function readAll(url: string): Promise<string> {
  const store = await openStoreReadOnly(url);
  try {
    assert.deepEqual(await store.read(auditStore), []);
    return await store.read(fingerprint);
  } finally {
    await store.close();
  }
}

const openChain = () => new SimulatedChain({ seed: 11, traffic: { sharedBlobs: 1, pools: 2, transactions: [0, 5] } });

test("a store moves to PostgreSQL and back, an interrupted copy goes on, and all contents are the same", async (t) => {
  const [from, postgres, back] = [temporaryDirectory(t), emptyStore(server), temporaryDirectory(t)];
  const chain = openChain();
  chain.mine(40);
  await index(from, chain);
  const contracts = await ContractStore.open(from);
  await contracts.jobs.add({ guid: "a\0b", address: new Uint8Array(20), client: "c", submitted: 1, request: "{}" });
  await contracts.close();
  const steps: CopyProgress[] = [];
  const interrupted = copyStore(from, postgres, {
    onProgress: (step) => {
      steps.push(step);
      if (step.database === "index" && step.copied > step.rows / 2) throw new Error("interrupted");
    },
  });
  await assert.rejects(interrupted, /interrupted/);
  await assert.rejects(openStore(postgres, chain.chainId), { code: "store_corrupt", message: /unfinished copy/ });
  await assert.rejects(openStoreReadOnly(postgres), { code: "not_found" });

  const rest: CopyProgress[] = [];
  const digest = await copyStore(from, postgres, { onProgress: (step) => rest.push(step) });

  const indexed = (all: readonly CopyProgress[]) => all.filter(({ database }) => database === "index");
  assert.ok(indexed(rest)[0]!.copied > indexed(steps).at(-1)!.copied, "it went on");
  assert.equal(await copyStore(postgres, back, { onProgress: () => {} }), digest);
  const expected = await readAll(from);
  assert.equal(await readAll(postgres), expected);
  assert.equal(await readAll(back), expected);
  await assert.rejects(copyStore(from, back, { onProgress: () => {} }), { code: "invalid_argument" });
  chain.mine(5);
  for (const url of [from, postgres, back]) await index(url, chain);
  assert.equal(await readAll(postgres), await readAll(from));
  assert.equal(await readAll(back), await readAll(from));
});

test("an unfinished copy begins again if its source has changed", async (t) => {
  const [from, to] = [temporaryDirectory(t), emptyStore(server)];
  const chain = openChain();
  chain.mine(10);
  await index(from, chain);
  const stop = () => {
    throw new Error("interrupted");
  };
  await assert.rejects(copyStore(from, to, { onProgress: stop }), /interrupted/);
  chain.fork(4, 6);
  await index(from, chain);

  await copyStore(from, to, { onProgress: () => {} });

  assert.equal(await readAll(to), await readAll(from));
});

test("an index with other tables is not copied", async (t) => {
  const [from, to] = [temporaryDirectory(t), temporaryDirectory(t)];
  const chain = openChain();
  chain.mine(2);
  await index(from, chain);
  const database = await databasesAt(from).open("index");
  await database.transaction(NO_FENCE, (writer) =>
    writer.run("UPDATE meta SET value = '' WHERE name = 'schema_digest'"),
  );
  await database.close();

  const copied = copyStore(from, to, { onProgress: () => {} });

  await assert.rejects(copied, { code: "unsupported", message: /unreleased build/ });
});

test("commands of the program work on both engines", async (t) => {
  const [from, to] = [temporaryDirectory(t), emptyStore(server.replace("postgres@", "postgres:sesame@"))];
  const chain = openChain();
  chain.mine(10);
  await index(from, chain);
  const run = (...args: string[]) => runProgram(t, args).ended;

  const exported = await run("export", "--data", from, "--to", to);
  assert.equal(exported.code, 0, exported.stderr);
  assert.match(exported.stdout, /both have the digest [0-9a-f]{64}\n$/);
  const states = await Promise.all([run("status", "--data", from), run("status", "--store", to)]);
  const rows = states.map(({ stdout }) => stdout.split("\n").slice(1).join("\n"));
  assert.equal(rows[0], rows[1]);
  const audited = await run("audit", "--store", to);
  assert.match(audited.stdout, /no differences/);
  const backup = await run("backup", "--store", to, "--to", `${from}/copy`);
  assert.equal(backup.code, 2);
  assert.match(backup.stderr, /pg_dump/);
  const again = await run("import", "--store", to, "--from", `sqlite:${from}`);
  assert.equal(again.code, 2);
  assert.match(again.stderr, /already\n$/);
  for (const { stdout, stderr } of [exported, ...states, audited, backup, again])
    assert.doesNotMatch(stdout + stderr, /sesame/);
});

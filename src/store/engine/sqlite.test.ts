import assert from "node:assert/strict";
import { once } from "node:events";
import { join } from "node:path";
import { test } from "node:test";
import { Worker } from "node:worker_threads";
import { autocommit } from "../../../test/support/autocommit.ts";
import { temporaryDirectory } from "../../../test/support/program.ts";
import { until } from "../../../test/support/waiting.ts";

import { watchStatements } from "../../../test/support/watchStatements.ts";
import { SqliteDatabase } from "./sqlite.ts";
import { SqliteConnection } from "./sqliteConnection.ts";

test("the version is known while a snapshot is read", async (t) => {
  const database = new SqliteDatabase({ path: ":memory:" });
  t.after(() => database.close());

  await database.snapshot(async ({ version }) => assert.equal(database.version, version));
});

test("a commit in another thread is announced, and no statement runs to learn of it", async (t) => {
  const path = join(temporaryDirectory(t), "index.sqlite");
  const database = new SqliteDatabase({ path });
  t.after(() => database.close());
  await autocommit(database).run("CREATE TABLE item (id INTEGER PRIMARY KEY)");
  const before = database.version;
  let statements = 0;
  const unwatch = watchStatements(database, () => statements++);

  const writer = new Worker(
    `const { SqliteDatabase } = await import(${JSON.stringify(new URL("sqlite.ts", import.meta.url).href)});
     const database = new SqliteDatabase({ path: ${JSON.stringify(path)} });
     const fence = { check: async () => {} };
     for (let id = 0; id < 3; id++) await database.transaction(fence, (writer) => writer.insert("item", ["id"], [[id]]));
     await database.transaction(fence, (writer) => writer.all("SELECT * FROM item"));
     await database.close();`,
    { eval: true },
  );
  await once(writer, "exit");
  await until("the commits are announced", async () => database.version === before + 3);

  assert.equal(statements, 0);
  unwatch();
  assert.equal(await database.snapshot(async ({ version }) => version), before + 3);
});

test("versions go on where the number in the file wraps around", async (t) => {
  const path = join(temporaryDirectory(t), "index.sqlite");
  const connection = new SqliteConnection({ path });
  connection.handle.exec(`PRAGMA user_version = ${2 ** 31 - 2}`);
  const [writer, reader] = [new SqliteDatabase({ path }), new SqliteDatabase({ path })];
  t.after(async () => {
    connection.close();
    await reader.close();
    await writer.close();
  });

  const versions = [writer.version];
  for (const name of ["a", "b", "c", "d"]) {
    await autocommit(writer).run(`CREATE TABLE ${name} (id INTEGER PRIMARY KEY)`);
    versions.push(writer.version);
  }

  assert.deepEqual(
    versions,
    [-2, -1, 0, 1, 2].map((past) => 2 ** 31 + past),
  );
  assert.ok(connection.version() < 0);
  assert.equal(await reader.readVersion(), writer.version);
});

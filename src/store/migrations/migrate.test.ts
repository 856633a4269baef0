import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { SqliteEngine } from "../engine/sqlite.ts";
import { migrate, SCHEMA_VERSION, schemaVersion } from "./migrate.ts";

function open(t: TestContext): SqliteEngine {
  const engine = new SqliteEngine({ path: ":memory:" });
  t.after(() => engine.close());
  return engine;
}

test("an empty database gets the schema, once", async (t) => {
  const engine = open(t);
  assert.equal(await schemaVersion(engine), 0);
  await migrate(engine);
  const tables = await engine.tables();

  await migrate(engine);

  assert.equal(await schemaVersion(engine), SCHEMA_VERSION);
  assert.deepEqual(await engine.tables(), tables);
  assert.ok(tables.includes("block") && tables.includes("journal"));
});

test("a newer database is refused and left alone", async (t) => {
  const engine = open(t);
  await migrate(engine);
  await engine.upsert("meta", ["name", "value"], [["schema", String(SCHEMA_VERSION + 1)]]);

  await assert.rejects(migrate(engine), { code: "store_newer" });
  assert.deepEqual(await engine.all("SELECT value FROM meta WHERE name = 'schema'"), [[String(SCHEMA_VERSION + 1)]]);
});

test("a database of another program is refused and left alone", async (t) => {
  for (const sql of ["CREATE TABLE note (text TEXT)", "CREATE TABLE meta (name TEXT, value TEXT)"]) {
    const engine = open(t);
    await engine.run(sql);
    const tables = await engine.tables();

    await assert.rejects(migrate(engine), { code: "store_corrupt" });
    assert.deepEqual(await engine.tables(), tables);
  }
});

test("a migration that fails leaves the database as it was", async (t) => {
  const engine = open(t);
  await engine.run("CREATE VIEW journal AS SELECT 1");

  await assert.rejects(migrate(engine));
  assert.deepEqual(await engine.tables(), []);
});

import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { test } from "node:test";
import { describeEveryEngine } from "../../../test/support/engines.ts";
import type { Database, Dialect } from "../engine/database.ts";
import { NO_FENCE } from "../engine/database.ts";
import type { Migration } from "./migrate.ts";
import { expectSameSchema, migrate, schemaVersion } from "./migrate.ts";
import { MIGRATIONS, SCHEMA_VERSION } from "./schema.ts";

const FIRST: Migration = {
  statements: ({ integer, clustered }) => [
    `CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) ${clustered}`,
    `CREATE TABLE price (id ${integer} PRIMARY KEY, euros ${integer} NOT NULL)`,
  ],
};

/** Adds a column and computes it for existing rows. */
const SECOND: Migration = {
  statements: ({ integer }) => [`ALTER TABLE price ADD COLUMN cents ${integer} NOT NULL DEFAULT 0`],
  fill: (writer) => writer.run("UPDATE price SET cents = euros * 100"),
};

await describeEveryEngine((tested) => {
  async function open(t: TestContext): Promise<Database> {
    const database = await tested.open();
    t.after(() => database.close());
    return database;
  }

  test("an empty database gets the schema, once", async (t) => {
    const database = await open(t);
    assert.equal(await schemaVersion(database, SCHEMA_VERSION), 0);
    await migrate(database, MIGRATIONS);
    const tables = await database.tables();

    await migrate(database, MIGRATIONS);

    assert.equal(await schemaVersion(database, SCHEMA_VERSION), SCHEMA_VERSION);
    assert.deepEqual(await database.tables(), tables);
    assert.ok(tables.includes("block") && tables.includes("journal"));
  });

  test("a database made by other statements is refused", async (t) => {
    const database = await open(t);
    await migrate(database, [FIRST]);
    await expectSameSchema(database, [FIRST]);

    const edited = { statements: (dialect: Dialect) => [...FIRST.statements(dialect), "CREATE TABLE other (id INT)"] };
    await migrate(database, [edited]);

    await assert.rejects(expectSameSchema(database, [edited]), { code: "unsupported", message: /unreleased build/ });
  });

  test("a newer database is refused and left alone", async (t) => {
    const database = await open(t);
    await migrate(database, [FIRST, SECOND]);

    await assert.rejects(migrate(database, [FIRST]), { code: "store_newer" });
    assert.deepEqual(await database.all("SELECT value FROM meta WHERE name = 'schema'"), [["2"]]);
  });

  test("a database of another program is refused and left alone", async (t) => {
    for (const sql of ["CREATE TABLE note (text TEXT)", "CREATE TABLE meta (name TEXT, value TEXT)"]) {
      const database = await open(t);
      await database.transaction(NO_FENCE, (writer) => writer.run(sql));
      const tables = await database.tables();

      await assert.rejects(migrate(database, MIGRATIONS), { code: "store_corrupt" });
      assert.deepEqual(await database.tables(), tables);
    }
  });

  test("rows of an older schema are carried over by the migrations that follow", async (t) => {
    const database = await open(t);
    await migrate(database, [FIRST]);
    await database.transaction(NO_FENCE, (writer) => writer.insert("price", ["id", "euros"], [[1, 7]]));

    await migrate(database, [FIRST, SECOND]);
    await migrate(database, [FIRST, SECOND]);

    assert.deepEqual(await database.all("SELECT id, euros, cents FROM price"), [[1, 7, 700]]);
    assert.equal(await schemaVersion(database, 2), 2);
  });

  test("a migration that fails leaves the database as it was", async (t) => {
    const database = await open(t);
    await migrate(database, [FIRST]);
    const failing: Migration = { ...SECOND, fill: (writer) => writer.run("UPDATE prices SET cents = 1") };

    await assert.rejects(migrate(database, [FIRST, failing]));

    assert.equal(await schemaVersion(database, 2), 1);
    await assert.rejects(database.all("SELECT cents FROM price"));
    await migrate(database, [FIRST, SECOND]);
  });
});

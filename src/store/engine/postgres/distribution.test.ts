import assert from "node:assert/strict";
import { test } from "node:test";
import { transact } from "../../../../test/support/autocommit.ts";
import { emptyStore, postgresUrl } from "../../../../test/support/postgresServer.ts";
import { Random } from "../../../../test/support/random.ts";
import { firstSeed } from "../../../../test/support/seed.ts";
import { distributeStore } from "../../distributeStore.ts";
import { migrate } from "../../schema/migrate.ts";
import { MIGRATIONS } from "../../schema/schema.ts";
import { databasesAt, IN_MEMORY } from "../databases.ts";
import { DISTRIBUTED_TABLES, distributionColumn } from "./distributedTables.ts";
import { onNodes } from "./distribution.ts";
import { DIALECT, DISTRIBUTED_DIALECT } from "./postgresDialect.ts";

const server = await postgresUrl();
const SEED = firstSeed();

test("a distributed table has its column in its primary key and in every unique index, which Citus demands", async (t) => {
  const database = await databasesAt(emptyStore(server)).open("index");
  t.after(() => database.close());
  await migrate(database, MIGRATIONS);

  const keys = await database.all<[string, string, number]>(
    `SELECT i.indrelid::regclass::text, string_agg(a.attname, ' '), count(*) FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY(i.indkey)
     WHERE i.indisunique AND i.indrelid::regclass::text IN (${DISTRIBUTED_TABLES.map(() => "?")}) GROUP BY i.indrelid, i.indexrelid`,
    ...DISTRIBUTED_TABLES,
  );

  assert.deepEqual([...new Set(keys.map(([table]) => table))].sort(), [...DISTRIBUTED_TABLES].sort());
  for (const [table, columns] of keys) assert.ok(columns.split(" ").includes(distributionColumn(table)!), table);
});

test("a table that is created in a distributed database is distributed at once, unless it stays on the coordinator", () => {
  const { afterCreating } = onNodes("x_index");

  assert.equal(
    afterCreating("CREATE TABLE tx (position BIGINT PRIMARY KEY, body BYTEA NOT NULL)"),
    "SELECT create_distributed_table('x_index.tx', 'position', colocate_with => 'x_index.shard_key')",
  );
  assert.equal(afterCreating("CREATE TABLE block (number BIGINT PRIMARY KEY)"), undefined);
  assert.equal(afterCreating("CREATE INDEX contract_position ON contract (position)"), undefined);
});

test(`the aggregates of pairs are the same in the words that Citus understands (seed ${SEED})`, async (t) => {
  const database = await databasesAt(emptyStore(server)).open("index");
  t.after(() => database.close());
  const random = new Random(SEED);
  await transact(database, async (writer) => {
    await writer.run("CREATE TABLE entry (position BIGINT PRIMARY KEY)");
    const positions = new Set(Array.from({ length: 300 }, () => random.int(1000)));
    await writer.insert(
      "entry",
      ["position"],
      [...positions].map((position) => [position]),
    );
  });
  const pairs = Array.from({ length: 200 }, () => [random.int(1100), random.int(1000)] as const);
  const of = async ({ ofEachPair }: typeof DIALECT) => {
    const sql = ofEachPair("max(n.position)", "entry n", "n.position <= w.column1 AND n.position >= w.column2");
    const rows = await database.loadPairs<[number, number, number | null]>(sql, pairs);
    return new Map(rows.filter(([, , value]) => value !== null).map(([to, from, value]) => [`${to} ${from}`, value]));
  };

  const [usual, distributed] = [await of(DIALECT), await of(DISTRIBUTED_DIALECT)];

  assert.deepEqual([...distributed].sort(), [...usual].sort());
  assert.ok(usual.size > 20);
});

test("SQLite and a server without the extension are not distributed, and stay as they are", async () => {
  const url = emptyStore(server);

  await assert.rejects(
    distributeStore(IN_MEMORY, () => {}),
    { code: "invalid_argument", message: /on one machine/ },
  );
  await assert.rejects(
    distributeStore(url, () => {}),
    { code: "unsupported", message: /has no extension citus/ },
  );

  assert.equal(await databasesAt(url).has("index"), false);
});

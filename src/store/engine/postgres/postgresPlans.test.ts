import assert from "node:assert/strict";
import { test } from "node:test";
import { transact } from "../../../../test/support/autocommit.ts";
import { emptyStore, postgresUrl } from "../../../../test/support/postgresServer.ts";
import { databasesAt } from "../databases.ts";

const server = await postgresUrl();

test("a range of keys is read by its index, in a table that was never analyzed as well", async (t) => {
  const database = await databasesAt(emptyStore(server)).open("index");
  t.after(() => database.close());
  await transact(database, async (writer) => {
    await writer.run("CREATE TABLE entry (block BIGINT, id BIGINT, PRIMARY KEY (block, id))");
    const rows = Array.from({ length: 5000 }, (_, id) => [100 + Math.floor(id / 100), id]);
    await writer.insert("entry", ["block", "id"], rows);

    const plan = (await writer.all<[string]>("EXPLAIN DELETE FROM entry WHERE block < 100")).flat().join("\n");

    assert.match(plan, /entry_pkey/);
    assert.doesNotMatch(plan, /Seq Scan/);
  });
});

test("a statement is planned once per connection, whatever its parameters", async (t) => {
  const database = await databasesAt(emptyStore(server)).open("index");
  t.after(() => database.close());
  await transact(database, async (writer) => {
    await writer.run("CREATE TABLE entry (id BIGINT PRIMARY KEY, calls BIGINT)");
    const sums =
      "SELECT e.id, (SELECT p.calls FROM entry p WHERE p.id < e.id ORDER BY p.id DESC LIMIT 1) FROM entry e WHERE e.id IN ($keys)";
    for (let time = 0; time < 10; time++) await writer.load(sums, [time]);

    const plans = await writer.all(
      "SELECT generic_plans, custom_plans FROM pg_prepared_statements WHERE statement LIKE 'SELECT e.id,%'",
    );

    assert.deepEqual(plans, [[10, 0]]);
  });
});

test("changed and removed rows are found by their key, in a table that was never analyzed as well", async (t) => {
  const database = await databasesAt(emptyStore(server)).open("index");
  t.after(() => database.close());
  await transact(database, async (writer) => {
    await writer.run("CREATE TABLE entry (block BIGINT, id BIGINT, calls BIGINT, PRIMARY KEY (block, id))");
    const rows = Array.from({ length: 5000 }, (_, id) => [Math.floor(id / 100), id, 0]);
    await writer.insert("entry", ["block", "id", "calls"], rows);
    const scans = async (of: string) =>
      (await writer.all<[number]>(`SELECT pg_stat_get_xact_numscans('${of}'::regclass)`))[0]![0];
    const before = [await scans("entry"), await scans("entry_pkey")];

    await writer.update("entry", ["block", "id", "calls"], rows.slice(0, 500), 2);
    await writer.remove(
      "entry",
      ["block", "id"],
      rows.slice(500, 1000).map(([block, id]) => [block!, id!]),
    );

    assert.deepEqual([(await scans("entry")) - before[0]!, (await scans("entry_pkey")) - before[1]!], [0, 1000]);
    assert.deepEqual(await writer.all("SELECT count(*) FROM entry"), [[4500]]);
  });
});

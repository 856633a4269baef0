import assert from "node:assert/strict";
import { test } from "node:test";
import { transact } from "../../../../test/support/autocommit.ts";
import { emptyStore, postgresUrl } from "../../../../test/support/postgresServer.ts";
import { databasesAt } from "../databases.ts";

const server = await postgresUrl();

test("the first change of a row already needs no new entry in the index", async (t) => {
  const database = await databasesAt(emptyStore(server)).open("index");
  t.after(() => database.close());
  const { integer, bytes, updated } = database.dialect;
  const rowsOf = (time: number, step: number) =>
    Array.from({ length: 5000 / step }, (_, at) => [at * step, new Uint8Array(10 + time)]);
  await transact(database, async (writer) => {
    await writer.run(`CREATE TABLE tail (owner ${integer} PRIMARY KEY, body ${bytes} NOT NULL)${updated}`);
    await writer.insert("tail", ["owner", "body"], rowsOf(0, 1));
  });

  const changed = await transact(database, async (writer) => {
    await writer.update("tail", ["owner", "body"], rowsOf(1, 20));
    const count = (what: string) => `pg_stat_get_xact_tuples_${what}('tail'::regclass)`;
    return writer.all(`SELECT ${count("updated")}, ${count("hot_updated")}`);
  });

  assert.deepEqual(changed, [[250, 250]]);
});

test("an update fails if one of its rows is not stored", async (t) => {
  const database = await databasesAt(emptyStore(server)).open("index");
  t.after(() => database.close());
  const { integer, bytes, updated } = database.dialect;
  const row = (owner: number) => [owner, new Uint8Array(1)];
  await transact(database, async (writer) => {
    await writer.run(`CREATE TABLE tail (owner ${integer} PRIMARY KEY, body ${bytes} NOT NULL)${updated}`);
    await writer.insert("tail", ["owner", "body"], [row(1), row(2)]);
  });
  const update = (owners: readonly number[]) =>
    transact(database, (writer) => writer.update("tail", ["owner", "body"], owners.map(row)));

  await update([1, 2]);
  await assert.rejects(update([1, 3]), { code: "internal", message: "1 of 2 rows of tail are stored" });
});

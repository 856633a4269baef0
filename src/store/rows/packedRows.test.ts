import assert from "node:assert/strict";
import { test } from "node:test";
import { autocommit } from "../../../test/support/autocommit.ts";
import { describeEngines } from "../../../test/support/engines.ts";
import { Random } from "../../../test/support/random.ts";
import { firstSeed } from "../../../test/support/seed.ts";
import type { Database } from "../engine/database.ts";
import type { PackedColumns } from "./packedRows.ts";
import { unpackRows } from "./packedRows.ts";

const SEED = firstSeed();

describeEngines(({ name, open }) => {
  async function makeTable(): Promise<Database> {
    const database = await open();
    const { integer, bytes } = database.dialect;
    await autocommit(database).run(`CREATE TABLE item (id ${integer} PRIMARY KEY, body ${bytes})`);
    return database;
  }

  const select = ({ dialect }: Database) => `SELECT ${dialect.pack("id", "body")} FROM item WHERE id IN ($keys)`;
  const read = async (database: Database, keys: readonly number[]) =>
    unpackRows(await database.load<PackedColumns>(select(database), keys)).map(({ key, bytes, start, end }) => [
      key,
      Buffer.from(bytes.subarray(start, end)).toString("hex"),
    ]);

  test(`packed rows have every byte that was stored (seed ${SEED})`, async (t) => {
    const database = await makeTable();
    t.after(() => database.close());
    const random = new Random(SEED);
    const odd = [new Uint8Array(0), new Uint8Array(3), Uint8Array.from({ length: 256 }, (_, byte) => byte)];
    const bodies = [...odd, Buffer.from("1:2:3"), ...Array.from({ length: 600 }, () => random.bytes(random.int(400)))];
    const rows = bodies.map((body, at) => [at < 20 ? at : 2 ** 52 + at, body] as [number, Uint8Array]);
    await autocommit(database).insert("item", ["id", "body"], rows);

    for (const count of [0, 1, 3, 9, 65, 300, rows.length]) {
      const some = random.shuffle([...rows]).slice(0, count);
      const found = await read(database, [...some.map(([id]) => id), 77]);
      const expected = some.map(([id, body]) => [id, Buffer.from(body).toString("hex")]);
      const byId = (a: unknown[], b: unknown[]) => Number(a[0]) - Number(b[0]);
      assert.deepEqual(found.sort(byId), expected.sort(byId));
    }
  });

  test("what is no bytes is damage", async (t) => {
    const database = await makeTable();
    t.after(() => database.close());
    await autocommit(database).insert(
      "item",
      ["id", "body"],
      [
        [1, null],
        // Columns of SQLite hold values of any type.
        ...(name === "SQLite" ? [[2, "text"]] : []),
      ],
    );

    await assert.rejects(read(database, [1]), { code: "store_corrupt" });
    if (name === "SQLite") await assert.rejects(read(database, [2]), { code: "store_corrupt" });
  });
});

test("packed rows whose sizes are not theirs are damage", () => {
  const bytes = Buffer.from("abcdefg");

  assert.deepEqual(
    unpackRows([
      ["1,22", "3,4", bytes],
      [null, null, null],
    ]).map(({ key, start, end }) => [key, bytes.subarray(start, end).toString()]),
    [
      [1, "abc"],
      [22, "defg"],
    ],
  );
  for (const [sizes, joined] of [
    ...(["3", "3,4,0", "3,3", "4,4", "3,-1", "-1,8"] as const).map((list) => [list, bytes] as const),
    ...[["3,4", bytes.subarray(1)] as const, ["3,4", null] as const, [null, bytes] as const],
  ]) {
    assert.throws(() => unpackRows([["1,22", sizes, joined]]), { code: "store_corrupt" }, `${sizes}`);
  }
});

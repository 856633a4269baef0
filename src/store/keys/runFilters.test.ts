import assert from "node:assert/strict";
import { test } from "node:test";
import { transact } from "../../../test/support/autocommit.ts";
import { describeEngines } from "../../../test/support/engines.ts";
import { Random } from "../../../test/support/random.ts";
import { firstSeed } from "../../../test/support/seed.ts";
import type { Database, Reader } from "../engine/database.ts";
import { keyTables } from "../schema/tableKinds.ts";
import { KeyEntries } from "./keyEntries.ts";
import { KeyIndex } from "./keyIndex.ts";
import { KeyMerges } from "./keyMerges.ts";
import type { KeyTable, RunSizes } from "./keyTable.ts";
import { RunFilters } from "./runFilters.ts";
import { readRuns } from "./runs.ts";

const TABLE: KeyTable = { name: "k", valueDigits: 5, fingerprintDigits: 0 };
const SIZES: RunSizes = { rows: 200, ratio: 4, piece: 100, paceBase: 20, paceFactor: 5, perCommit: 1000 };
const BATCH = 90;
const BATCHES = 120;

const random = new Random(firstSeed());
const newKey = () => random.int(2 ** 26) * 2 ** 26 + random.int(2 ** 26);

/** A table with runs of several levels, some of which are being merged. */
async function fill(database: Database, index: KeyIndex): Promise<number[]> {
  await transact(database, async (writer) => {
    for (const sql of keyTables(writer.dialect, TABLE.name)) await writer.run(sql);
  });
  const keys: number[] = [];
  for (let batch = 0; batch < BATCHES; batch++) {
    const added = new KeyEntries();
    for (let at = 0; at < BATCH; at++) {
      keys.push(newKey());
      added.add(keys.at(-1)!, keys.length);
    }
    await transact(database, (writer) => index.add(writer, added));
  }
  return keys;
}

/** A reader, and how many rows of runs it has been asked for. */
function counting(database: Database) {
  const counted = { rows: 0 };
  const reader: Reader = {
    dialect: database.dialect,
    all: (...query) => database.all(...query),
    load: (sql, keys) => {
      if (sql.includes("k_body")) counted.rows += keys.length;
      return database.load(sql, keys);
    },
    loadPairs: (...query) => database.loadPairs(...query),
    snapshotCache: (name) => database.snapshotCache(name),
  };
  return { counted, reader };
}

async function searches(database: Database, index: KeyIndex, keys: readonly number[]): Promise<number> {
  const { counted, reader } = counting(database);
  for (const key of keys) await index.find(reader, [key]);
  return counted.rows / keys.length;
}

describeEngines((tested) => {
  test("a known key is searched for in about one run, an unknown one in none", async () => {
    const database = await tested.open();
    const filters = new RunFilters(undefined, 4);
    const index = new KeyIndex(TABLE, new KeyMerges(SIZES), filters);
    const keys = await fill(database, index);
    const runs = await readRuns(database, TABLE.name);
    const known = Array.from({ length: 400 }, () => random.pick(keys));

    const [ofKnown, ofUnknown] = [
      await searches(database, index, known),
      await searches(database, index, Array.from({ length: 400 }, newKey)),
    ];

    assert.ok(runs.length >= 6, `${runs.length} runs`);
    assert.ok(ofKnown > 0.8 && ofKnown < 1.2, `${ofKnown} rows for a known key, of ${runs.length} runs`);
    assert.ok(ofUnknown < 0.1, `${ofUnknown} rows for an unknown key`);
    assert.ok(filters.bytes <= keys.length * 1.5 + 64 * 4 * runs.length, `${filters.bytes} bytes`);
    await database.close();
  });

  test("after a start the filters are read in steps, and a rolled back commit makes none of them wrong", async () => {
    const database = await tested.open();
    const keys = await fill(database, new KeyIndex(TABLE, new KeyMerges(SIZES), new RunFilters(undefined, 4)));
    const runs = await readRuns(database, TABLE.name);
    const filters = new RunFilters(undefined, 4);
    const index = new KeyIndex(TABLE, new KeyMerges(SIZES), filters);
    const known = Array.from({ length: 200 }, () => random.pick(keys));

    const first = await searches(database, index, known.slice(0, 1));
    for (let step = 0; step < 4 * runs.length; step++) await index.find(database, [newKey()]);
    const later = await searches(database, index, known);
    const bytes = filters.bytes;
    const failing = transact(database, async (writer) => {
      const added = new KeyEntries();
      for (let at = 1; at <= 3000; at++) added.add(newKey(), keys.length + at);
      await index.add(writer, added);
      throw new Error("no");
    });
    await assert.rejects(failing, { message: "no" });
    index.clear();
    for (let step = 0; step < 20; step++) await index.find(database, [newKey()]);

    assert.ok(first > 2, `${first} rows at first`);
    assert.ok(later < 1.2, `${later} rows later`);
    assert.ok(filters.bytes <= bytes, `${filters.bytes} bytes, ${bytes} before`);
    assert.equal((await index.find(database, keys)).length, keys.length);
    await database.close();
  });

  test("over their bound the largest runs are searched without a filter, the others with theirs", async () => {
    const database = await tested.open();
    const MAX = 10_000;
    const filters = new RunFilters(MAX, 4);
    const index = new KeyIndex(TABLE, new KeyMerges(SIZES), filters);
    const keys = await fill(database, index);
    const known = Array.from({ length: 300 }, () => random.pick(keys));

    const ofKnown = await searches(database, index, known);
    const ofUnknown = await searches(database, index, Array.from({ length: 300 }, newKey));

    assert.ok(filters.bytes <= MAX, `${filters.bytes} bytes`);
    const runs = (await readRuns(database, TABLE.name)).length;
    assert.ok(ofUnknown > 0.3 && ofUnknown < runs / 2, `${ofUnknown} rows for an unknown key, of ${runs} runs`);
    assert.ok(ofKnown < 1 + runs / 2, `${ofKnown} rows for a known key`);
    assert.equal((await index.find(database, keys)).length, keys.length);
    await database.close();
  });
});

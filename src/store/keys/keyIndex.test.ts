import assert from "node:assert/strict";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { transact } from "../../../test/support/autocommit.ts";
import { describeEngines } from "../../../test/support/engines.ts";
import { fc, runs } from "../../../test/support/fastCheck.ts";
import { keyEntries } from "../../../test/support/fingerprint/keyLines.ts";
import { Random } from "../../../test/support/random.ts";
import { firstSeed } from "../../../test/support/seed.ts";
import type { Database, Row } from "../engine/database.ts";
import { databasesAt } from "../engine/databases.ts";
import { keyTables } from "../schema/tableKinds.ts";
import { findKeys, soughtKeys } from "./findKeys.ts";
import { KeyEntries } from "./keyEntries.ts";
import { KeyIndex } from "./keyIndex.ts";
import { KeyMerges } from "./keyMerges.ts";
import type { KeyTable, RunSizes } from "./keyTable.ts";
import { KEY_SPACE } from "./keyTable.ts";
import { MAX_PACKED_SIZE } from "./packedEntries.ts";
import { RunFilters } from "./runFilters.ts";
import { readRuns } from "./runs.ts";

const TABLES: readonly KeyTable[] = [
  { name: "k", valueDigits: 8, fingerprintDigits: 0 },
  { name: "k", valueDigits: 5, fingerprintDigits: 0 },
  { name: "k", valueDigits: 5, fingerprintDigits: 6 },
];
const SMALL: RunSizes = { rows: 12, ratio: 3, piece: 20, paceBase: 4, paceFactor: 3, perCommit: 200 };

type Entry = [key: number, value: number];

/** Keys that differ in few bits, some of which only the bucket or only the low digits have, and any others. */
const someKey = fc.oneof(
  fc.bigInt({ min: 0n, max: 2n ** 52n - 1n }).map(Number),
  fc.constantFrom(0, 1, 127, 128, 2 ** 21, 2 ** 35, 2 ** 41, 2 ** 42, 2 ** 43, KEY_SPACE - 1, KEY_SPACE / 2),
  fc.nat(40).map((number) => number * 2 ** 44),
);

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ add: fc.array(someKey, { maxLength: 40 }), gap: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.record({ fail: fc.array(someKey, { minLength: 1, maxLength: 40 }) }) },
  { weight: 1, arbitrary: fc.record({ cut: fc.double({ min: 0, max: 1, noNaN: true }) }) },
  { weight: 1, arbitrary: fc.constant({ reopen: true }) },
  { weight: 1, arbitrary: fc.constant({ takeOver: true }) },
  { weight: 2, arbitrary: fc.constant({ merge: true }) },
);

type Step =
  | { add: number[]; gap: number }
  | { fail: number[] }
  | { cut: number }
  | { reopen: boolean }
  | { takeOver: boolean }
  | { merge: boolean };

/** Bytes of the filters of a table: none, those of the smallest runs, all. */
const FILTER_BYTES = [0, 128, 1 << 20];

/** Any number of 42 bits that follows from the entry. */
const fingerprintOf = ([key, value]: Entry): number => (key * 31 + value * 7_654_321) % 2 ** 42;

function entriesOf(entries: readonly Entry[], { fingerprintDigits }: KeyTable): KeyEntries {
  const added = new KeyEntries();
  for (const entry of entries) added.add(...entry, fingerprintDigits > 0 ? fingerprintOf(entry) : 0);
  return added;
}

/** A key table beside a plain list of what is in it. */
class Compared {
  readonly table: KeyTable;
  readonly merges: KeyMerges;
  readonly #reopen: (database: Database) => Promise<Database>;
  database: Database;
  #index: KeyIndex;
  /** Of a writer that may take over. */
  #other: KeyIndex;
  #filterBytes: number;
  entries: Entry[] = [];
  #next = 1;

  constructor(
    database: Database,
    table: KeyTable,
    sizes: RunSizes,
    reopen: (database: Database) => Promise<Database> = async (same) => same,
    filterBytes = FILTER_BYTES[2]!,
  ) {
    this.database = database;
    this.table = table;
    this.merges = new KeyMerges(sizes);
    this.#reopen = reopen;
    this.#filterBytes = filterBytes;
    this.#index = this.#newIndex();
    this.#other = this.#newIndex();
  }

  #newIndex(): KeyIndex {
    return new KeyIndex(this.table, this.merges, new RunFilters(this.#filterBytes, 1));
  }

  async create(): Promise<this> {
    await transact(this.database, async (writer) => {
      for (const sql of keyTables(writer.dialect, this.table.name, this.table.fingerprintDigits > 0))
        await writer.run(sql);
    });
    return this;
  }

  async take(step: Step): Promise<void> {
    if ("add" in step) {
      const added = this.#numbered(step.add, step.gap);
      await transact(this.database, (writer) => this.#index.add(writer, entriesOf(added, this.table)));
      this.entries.push(...added);
    } else if ("fail" in step) {
      const failing = transact(this.database, async (writer) => {
        await this.#index.add(writer, entriesOf(this.#numbered(step.fail, 0), this.table));
        throw new Error("no");
      });
      await assert.rejects(failing, { message: "no" });
      this.#index.clear();
    } else if ("cut" in step) await this.cut(Math.floor(step.cut * this.#next));
    else if ("merge" in step) await transact(this.database, (writer) => this.merges.mergePiece(writer));
    else if ("takeOver" in step) {
      [this.#index, this.#other] = [this.#other, this.#index];
      this.#index.clear();
    } else {
      this.database = await this.#reopen(this.database);
      this.#index = this.#newIndex();
    }
  }

  async cut(keep: number): Promise<void> {
    const rows = this.entries.filter(([, value]) => value > keep).map((entry): Row => [...entry]);
    await transact(this.database, (writer) => this.#index.cut(writer, rows, keep));
    this.entries = this.entries.filter(([, value]) => value <= keep);
    this.#next = keep + 1;
  }

  #numbered(keys: readonly number[], gap: number): Entry[] {
    const distinct = [...new Set(keys)];
    return distinct.map((key): Entry => {
      this.#next += gap;
      return [key, this.#next++];
    });
  }

  async find(keys: readonly number[]): Promise<Entry[]> {
    const rows = await this.database.loadPairs<Entry>(findKeys(this.table, this.database.dialect), soughtKeys(keys));
    return sorted([...new Map(rows.map((row) => [row.join(), row])).values()]);
  }

  async expectSame(others: readonly number[]): Promise<void> {
    const keys = [...new Set([...this.entries.map(([key]) => key), ...others])];
    const expected = sorted(this.entries);
    assert.deepEqual(await this.find(keys), expected);
    assert.deepEqual(await keyEntries(this.database, this.table), expected);
    for (const key of others) {
      const own = expected.filter(([known]) => known === key);
      assert.deepEqual(await this.find([key]), own);
    }
    await this.expectFound(others);
  }

  /** By the writer, with filters that are read in steps: twice, so that it knows more the second time. */
  async expectFound(others: readonly number[] = []): Promise<void> {
    const keys = new Set([...this.entries.map(([key]) => key), ...others]);
    const expected = sorted(this.entries);
    for (let time = 0; time < 2; time++) {
      const found = await this.#index.find(this.database, [...keys]);
      const entries = Array.from({ length: found.length }, (_, at): Entry => [found.first(at), found.second(at)]);
      assert.deepEqual(sorted(entries), expected);
      if (this.table.fingerprintDigits === 0) continue;
      for (const [at, entry] of entries.entries()) assert.equal(found.fingerprint(at), fingerprintOf(entry));
    }
  }
}

const sorted = (entries: readonly Entry[]): Entry[] =>
  entries.toSorted(([key, value], [otherKey, other]) => key - otherKey || value - other);

describeEngines((tested) => {
  test("keys are found as in a plain map, whatever was added, unwound, rolled back and merged", async () => {
    const steps = fc.array(step, { maxLength: 25 });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...TABLES), fc.constantFrom(...FILTER_BYTES), steps, async (...given) => {
        const [table, bytes, taken] = given;
        const sizes = { ...SMALL, perCommit: 30 };
        const compared = await new Compared(await tested.open(), table, sizes, undefined, bytes).create();
        for (const each of taken) {
          await compared.take(each);
          await compared.expectFound();
        }
        await compared.expectSame([0, 1, 2 ** 42, KEY_SPACE - 1]);
        await compared.database.close();
      }),
      runs(60),
    );
  });

  const numbers = new Random(firstSeed());
  const random = (count: number) =>
    Array.from({ length: count }, () => numbers.int(2 ** 26) * 2 ** 26 + numbers.int(2 ** 26));

  test("few rows wait to be packed, and few runs are searched, however many entries there are", async () => {
    const sizes = { ...SMALL, rows: 64, paceFactor: 12 };
    const compared = await new Compared(await tested.open(), TABLES[0]!, sizes).create();
    for (let round = 0; round < 300; round++) {
      await compared.take({ add: random(30), gap: 1 });
      const runs = await readRuns(compared.database, "k");
      const [[rows] = [0]] = await compared.database.all<[number]>("SELECT count(*) FROM k");
      assert.ok(rows < sizes.rows, `${rows} rows wait`);
      const levels = Math.ceil(Math.log(compared.entries.length / sizes.rows) / Math.log(sizes.ratio)) + 1;
      const max = Math.max(levels, 1) * (2 * sizes.ratio - 1);
      assert.ok(runs.length <= max, `${runs.length} runs of ${compared.entries.length} entries`);
    }
    await compared.expectSame(random(3));
    await compared.database.close();
  });

  test("a body stays below the size that is moved out of its row, even if keys were chosen to be in it", async () => {
    const compared = await new Compared(await tested.open(), TABLES[0]!, SMALL).create();
    for (let round = 0; round < 40; round++) {
      const near = Array.from({ length: 30 }, (_, at) => 2 ** 51 + (round * 30 + at) * 1000);
      await compared.take({ add: [...near, ...random(10)], gap: 0 });
    }
    const [[longest] = [0]] = await compared.database.all<[number]>("SELECT max(length(body)) FROM k_body");
    assert.ok(longest <= MAX_PACKED_SIZE, `a body has ${longest} bytes`);
    await compared.expectSame(random(3));
    await compared.database.close();
  });

  test("a key may have any number of values, of which the packed one is found beside the rows", async () => {
    const compared = await new Compared(await tested.open(), TABLES[0]!, SMALL).create();
    for (let round = 0; round < 200; round++) await compared.take({ add: [12_345, ...random(2)], gap: 0 });
    assert.equal((await compared.find([12_345])).length, 200);
    await compared.expectSame([12_345]);
    await compared.database.close();
  });

  test("an unwind to any depth rewrites nothing, and the space comes back in pieces", async () => {
    const sizes = { ...SMALL, paceFactor: 12 };
    const compared = await new Compared(await tested.open(), TABLES[0]!, sizes).create();
    for (let round = 0; round < 100; round++) await compared.take({ add: random(20), gap: 0 });
    const bodies = async () => (await compared.database.all<[number]>("SELECT count(*) FROM k_body"))[0]![0];
    const before = await bodies();

    await compared.cut(7);

    assert.equal(await bodies(), before);
    await compared.expectSame([]);
    for (let round = 0; round < 200; round++) {
      await compared.take({ add: random(5), gap: 0 });
      if (round % 50 === 0) await compared.expectSame(random(1));
    }
    const runs = await readRuns(compared.database, "k");
    assert.ok(
      runs.every(({ lowest, highest }) => lowest <= highest),
      "runs without values are gone",
    );
    assert.ok((await bodies()) < before + compared.entries.length);
    await compared.database.close();
  });

  test("a commit merges a bounded number of entries however many it adds, and the others in pieces after it", async () => {
    const sizes = { ...SMALL, rows: 100, paceFactor: 12, perCommit: 60 };
    const compared = await new Compared(await tested.open(), TABLES[0]!, sizes).create();
    const merged = async () => {
      const runs = await readRuns(compared.database, "k");
      return runs.filter(({ level }) => level > 1).reduce((sum, { entries }) => sum + entries, 0);
    };
    let pieces = 0;
    for (let round = 0; round < 16; round++) {
      const before = await merged();
      await compared.take({ add: random(300), gap: 0 });
      const gained = (await merged()) - before;
      assert.ok(gained <= sizes.perCommit + sizes.piece, `${gained} entries were merged in one commit`);
      for (; compared.merges.areOwed; pieces++) {
        const owed = await merged();
        await compared.take({ merge: true });
        const moved = (await merged()) - owed;
        assert.ok(moved <= sizes.piece * 2, `${moved} entries were merged in one piece`);
        if (pieces % 20 === 0) await compared.expectFound();
      }
    }
    const runs = (await readRuns(compared.database, "k")).length;
    assert.ok(pieces > 50, `${pieces} pieces`);
    assert.ok(runs <= 2 * sizes.ratio * 4, `${runs} runs`);
    await compared.expectSame(random(3));
    await compared.database.close();
  });

  test("what one commit merges is bounded by what it adds", async () => {
    const compared = await new Compared(await tested.open(), TABLES[0]!, SMALL).create();
    for (let round = 0; round < 200; round++) {
      const before = new Map((await readRuns(compared.database, "k")).map((run) => [run.first, run]));
      await compared.take({ add: random(5), gap: 0 });
      const runs = await readRuns(compared.database, "k");
      // What a run has gained since; one that was merged as soon as it was made gains at most what the limit allows.
      const gained = runs
        .filter(({ level }) => level > 0)
        .reduce((sum, { first, entries }) => sum + entries - (before.get(first)?.entries ?? 0), 0);
      const limit = SMALL.paceBase + SMALL.paceFactor * 5;
      assert.ok(gained <= limit + SMALL.piece * 2, `${gained} entries were merged in one commit`);
    }
    await compared.database.close();
  });
});

/** PostgreSQL has its own tools for this. */
test("a copy of the file after any commit has what was committed, and goes on from there", async (t) => {
  const directory = mkdtempSync(join(tmpdir(), "oriel-keys-"));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  let copies = 0;
  const openAt = (path: string) => databasesAt(path).open("index");
  const reopen = async (database: Database) => {
    const next = join(directory, String(copies++));
    await (await openAt(next)).close();
    await database.maintenance!.backup(`${next}/copy`, async () => {});
    await database.close();
    copyFileSync(`${next}/copy`, databasesAt(next).locate("index"));
    return openAt(next);
  };
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 30 }), async (taken) => {
      const first = await openAt(join(directory, String(copies++)));
      const compared = await new Compared(first, TABLES[0]!, SMALL, reopen).create();
      for (const each of [...taken, { reopen: true }]) {
        await compared.take(each);
        if ("reopen" in each) await compared.expectSame([0]);
      }
      await compared.database.close();
    }),
    { numRuns: 4 },
  );
});

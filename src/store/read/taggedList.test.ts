import assert from "node:assert/strict";
import { test } from "node:test";
import { autocommit } from "../../../test/support/autocommit.ts";
import { fc } from "../../../test/support/fastCheck.ts";
import { SqliteDatabase } from "../engine/sqlite.ts";
import { migrate } from "../schema/migrate.ts";
import { MIGRATIONS } from "../schema/schema.ts";
import { ListReads, PositionList } from "../tables/list.ts";
import type { Entry } from "../tables/listRuns.ts";
import { COUNTED, FANOUT, TagCounts } from "../tables/tagCounts.ts";
import { TaggedList } from "./taggedList.ts";

const OWNER = 7;
const TABLE = { name: "address_log", isTagged: true };

async function open() {
  const database = new SqliteDatabase({ path: ":memory:" });
  await migrate(database, MIGRATIONS);
  const list = new PositionList(TABLE);
  return { database, list, counts: new TagCounts("address_log") };
}
type Trial = Awaited<ReturnType<typeof open>>;

/** Appends to the list and to a plain copy. */
async function append({ database, list, counts }: Trial, entries: Entry[], tags: Iterable<number>): Promise<void> {
  const before = entries.length;
  let position = entries.at(-1)?.position ?? 0;
  for (const tag of tags) {
    position += 1 + (tag % 3);
    list.add(OWNER, position, tag);
    entries.push({ position, tag });
  }
  await list.flush(autocommit(database), Number.MAX_SAFE_INTEGER);
  await counts.grow(autocommit(database), [{ owner: OWNER, before, after: entries.length }]);
}

async function expectModel({ database, counts }: Trial, entries: readonly Entry[], ...tags: number[]): Promise<void> {
  const tagged = new TaggedList(database, { list: new ListReads(database, TABLE), counts }, { owner: OWNER, tags });
  const isTagged = ({ tag }: Entry) => tags.includes(tag);
  const positions = entries.filter(isTagged).map(({ position }) => position);
  for (const share of [0, 0.3, 0.77, 1]) {
    const ordinal = Math.floor(entries.length * share);
    assert.equal(await tagged.rankOf(ordinal), entries.slice(0, ordinal).filter(isTagged).length);
    const rank = Math.floor(positions.length * share);
    const found: number[] = [];
    for await (const position of tagged.from(rank)) {
      if (found.push(position) === 5) break;
    }
    assert.deepEqual(found, positions.slice(rank, rank + 5), `tags ${tags} from ${rank} of ${positions.length}`);
  }
}

test("ranks and entries of a tag are those of a plain list, as it grows and is cut", async () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 3 * COUNTED }), { minLength: 1, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(sizes, fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(), async (lengths, share, salt) => {
      const trial = await open();
      const entries: Entry[] = [];
      const tagAt = (at: number) =>
        ((at * 2654435761 + salt) >>> 0) % 100 < 97 ? 1 : (at + salt) % 1000 === 0 ? 3 : 2;
      for (const length of lengths) {
        const from = entries.length;
        await append(
          trial,
          entries,
          Array.from({ length }, (_, at) => tagAt(from + at)),
        );
        for (const tag of [1, 2, 3, 9]) await expectModel(trial, entries, tag);
        await expectModel(trial, entries, 3, 9, 2);
      }
      const before = entries.length;
      entries.length = Math.floor(before * share);
      const end = (entries.at(-1)?.position ?? 0) + 1;
      await trial.list.cut(autocommit(trial.database), [OWNER], end);
      await trial.counts.shrink(autocommit(trial.database), [{ owner: OWNER, before, after: entries.length }]);
      for (const tag of [1, 2, 3]) await expectModel(trial, entries, tag);
      await append(
        trial,
        entries,
        Array.from({ length: COUNTED }, (_, at) => tagAt(at)),
      );
      for (const tag of [1, 2, 3]) await expectModel(trial, entries, tag);
      await trial.database.close();
    }),
    { numRuns: 8 },
  );
});

test("an entry that is rare is found in a long list by a few reads", async () => {
  const trial = await open();
  const entries: Entry[] = [];
  const rare = new Set([0, COUNTED * FANOUT - 1, COUNTED * FANOUT + 5, COUNTED * (FANOUT + 30)]);
  const length = COUNTED * (FANOUT + 31);
  await append(
    trial,
    entries,
    Array.from({ length }, (_, at) => (rare.has(at) ? 2 : 1)),
  );
  let asked = 0;
  const watched = new Proxy(trial.database, {
    get(target, name) {
      const value = target[name as keyof typeof target] as unknown;
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => {
        asked++;
        return (value as (...args: unknown[]) => unknown).apply(target, args);
      };
    },
  });
  const list = new ListReads(watched, TABLE);
  const tagged = new TaggedList(watched, { list, counts: trial.counts }, { owner: OWNER, tags: [2] });

  const found: number[] = [];
  for await (const position of tagged.from(0)) found.push(position);

  assert.deepEqual(
    found,
    [...rare].map((at) => entries[at]!.position),
  );
  assert.ok(asked < 60, `${asked} statements`);
  await trial.database.close();
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../../test/support/fastCheck.ts";
import { KeyedHash } from "./keyedHash.ts";
import { WordTable } from "./wordTable.ts";

const hash = new KeyedHash(KeyedHash.newSecret());

type Value = readonly number[];

function seek(table: WordTable, value: Value): WordTable {
  table.lookupKey.set(value);
  return table;
}

/** Few values, so that they recur. */
const word = fc.oneof(fc.integer({ min: -3, max: 3 }), fc.constantFrom(2 ** 31 - 1, -(2 ** 31)));
const values = (width: number) => fc.array(fc.array(word, { minLength: width, maxLength: width }), { maxLength: 80 });
const widthAndValues = fc
  .integer({ min: 1, max: 9 })
  .chain((width) => fc.tuple(fc.constant(width), values(width), values(width)));

function entriesOf(given: readonly Value[]): Map<string, number> {
  const entries = new Map<string, number>();
  for (const value of given) if (!entries.has(String(value))) entries.set(String(value), entries.size);
  return entries;
}

test("a value has the number of its first coming, and no other value has one", () => {
  fc.assert(
    fc.property(widthAndValues, ([width, noted, others]) => {
      const table = new WordTable(hash, width);
      const entries = entriesOf(noted);
      for (const value of noted) assert.equal(seek(table, value).note(), entries.get(String(value)));
      for (const value of [...noted, ...others]) {
        assert.equal(seek(table, value).find(), entries.get(String(value)) ?? -1);
      }
      assert.equal(table.count, entries.size);
    }),
  );
});

test("an entry has the words, the bytes and the key of its value", () => {
  fc.assert(
    fc.property(widthAndValues, ([width, noted]) => {
      const table = new WordTable(hash, width);
      for (const value of noted) {
        const entry = seek(table, value).note();
        const words = Int32Array.from(value);
        assert.deepEqual(
          value.map((_, at) => table.word(entry, at)),
          value,
        );
        assert.deepEqual(table.bytes(entry), new Uint8Array(words.buffer));
        assert.equal(table.key(entry), hash.keyOfWords(words, 0, width));
      }
    }),
  );
});

test("what is retained is numbered anew, and the rest is gone", () => {
  fc.assert(
    fc.property(widthAndValues, fc.infiniteStream(fc.boolean()), ([width, noted, later], keep) => {
      const table = new WordTable(hash, width);
      for (const value of noted) seek(table, value).note();
      const all = [...entriesOf(noted).keys()].map((text) => text.split(",").map(Number));
      const kept = all.filter(() => keep.next().value);
      table.retain(Uint32Array.from(kept, (value) => all.indexOf(value)));

      const entries = entriesOf([...kept, ...later]);
      assert.equal(table.count, kept.length);
      for (const value of all) assert.equal(seek(table, value).find(), kept.indexOf(value));
      for (const value of later) assert.equal(seek(table, value).note(), entries.get(String(value)));
    }),
  );
});

test("it grows as often as it must, says for how many there is room, and forgets all at a clear", () => {
  const table = new WordTable(hash, 2);
  const first = table.room;
  for (let number = 0; number < 5000; number++) {
    assert.equal(seek(table, [number, -number]).note(), number);
    assert.ok(table.room > table.count);
  }
  for (let number = 0; number < 5000; number++) assert.equal(seek(table, [number, -number]).find(), number);
  assert.ok(table.room > first);

  table.clear();
  assert.deepEqual([table.count, table.room, seek(table, [7, -7]).find()], [0, first, -1]);
});

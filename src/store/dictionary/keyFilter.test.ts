import assert from "node:assert/strict";
import { test } from "node:test";
import type { Reader } from "../engine/database.ts";
import { KeyedHash } from "./keyedHash.ts";
import type { ReadKeys } from "./keyFilter.ts";
import { KeyFilter } from "./keyFilter.ts";

const SECRET = Uint8Array.from({ length: 16 }, (_, at) => at * 7);
const hash = new KeyedHash(SECRET);
const keys = (count: number, from = 0) =>
  Array.from({ length: count }, (_, at) => hash.keyOfWords(Int32Array.of(from + at), 0, 1));
const UNSEEN = keys(20_000, 100_000_000);

const NO_DATABASE = {} as Reader;

const table =
  (held: readonly number[]): ReadKeys<number> =>
  async (_, after = -1, limit) => {
    const found = held.slice(after + 1, after + 1 + limit);
    return { keys: found, last: after + found.length };
  };

const share = (filter: KeyFilter<number>) => UNSEEN.filter((key) => filter.mayHave(key)).length / UNSEEN.length;

test("it may have every key until it has been told all that are there", async () => {
  const held = keys(25_000);
  const filter = new KeyFilter(table(held), { firstBits: 2 ** 20, maxBits: 2 ** 20 });

  for (const expected of [1, 1]) {
    await filter.learn(NO_DATABASE);
    assert.equal(share(filter), expected);
  }
  await filter.learn(NO_DATABASE);

  assert.ok(held.every((key) => filter.mayHave(key)));
  assert.ok(share(filter) < 0.01, `${share(filter)} of unknown keys taken for known`);
});

for (const rows of [1000, 30_000, 300_000]) {
  test(`under one in 100 unknown keys passes for known with ${rows} rows, in at most 8 bytes for each`, async () => {
    const held = keys(rows);
    const known = new KeyFilter(table(held), { firstBits: 2 ** 12, maxBits: 2 ** 31 });
    const unknown = new KeyFilter(table(held), { firstBits: 2 ** 12, maxBits: 2 ** 31 });

    for (let round = 0; round < rows / 2000 + 20; round++) {
      await known.learn(NO_DATABASE, rows);
      await unknown.learn(NO_DATABASE);
      unknown.flushed();
    }

    for (const filter of [known, unknown]) {
      assert.ok(held.every((key) => filter.mayHave(key)));
      assert.ok(share(filter) < 0.01, `${share(filter)} of unknown keys taken for known`);
      assert.ok(filter.bytes <= Math.max(2 ** 12 / 8, rows * 8), `${filter.bytes} bytes for ${rows} rows`);
    }
  });
}

test("it grows with what is added, stays right meanwhile, and catches up however fast keys come", async () => {
  const held = keys(5000);
  const filter = new KeyFilter(table(held), { firstBits: 2 ** 12, maxBits: 2 ** 31 });
  const worst: number[] = [];

  for (let batch = 0; batch < 24; batch++) {
    await filter.learn(NO_DATABASE);
    const added = keys(15_000, 5000 + batch * 15_000);
    for (const key of added) filter.add(key);
    held.push(...added);
    filter.flushed();
    worst.push(share(filter));
    assert.ok(
      [...held.slice(0, 500), ...held.slice(-500)].every((key) => filter.mayHave(key)),
      `batch ${batch}`,
    );
  }

  assert.ok(worst.at(-1)! < 0.05, worst.join(" "));
});

test("what was added and is not in the table yet is not forgotten by a larger filter", async () => {
  const [early, late] = [keys(2000), keys(2000, 50_000)];
  const held: number[] = [];
  const filter = new KeyFilter(table(held), { firstBits: 2 ** 12, maxBits: 2 ** 31 });
  await filter.learn(NO_DATABASE);
  for (const key of early) filter.add(key);
  for (let round = 0; round < 5; round++) await filter.learn(NO_DATABASE);
  for (const key of late) filter.add(key);
  held.push(...early, ...late);
  filter.flushed();
  for (let round = 0; round < 5; round++) await filter.learn(NO_DATABASE);

  assert.ok(filter.bytes > 2 ** 12 / 8);
  assert.ok(held.every((key) => filter.mayHave(key)));
});

test("a larger filter is filled in steps, however many keys were added before it was needed", async () => {
  const held: number[] = [];
  let longest = 0;
  const read: ReadKeys<number> = (db, after, limit) => {
    longest = Math.max(longest, limit);
    return table(held)(db, after, limit);
  };
  const filter = new KeyFilter(read, { firstBits: 2 ** 20, maxBits: 2 ** 31 });
  await filter.learn(NO_DATABASE);

  for (let batch = 0; batch < 80; batch++) {
    const added = keys(1000, batch * 1000);
    for (const key of added) filter.add(key);
    held.push(...added);
    filter.flushed();
    await filter.learn(NO_DATABASE);
  }

  assert.ok(filter.bytes > 2 ** 20 / 8);
  assert.ok(longest <= 12_000, String(longest));
  assert.ok(held.every((key) => filter.mayHave(key)));
});

test("above its most bits it takes no more memory, and is right still", async () => {
  const held = keys(50_000);
  const filter = new KeyFilter(table(held), { firstBits: 2 ** 12, maxBits: 2 ** 18 });

  for (let round = 0; round < 40; round++) {
    await filter.learn(NO_DATABASE);
    filter.flushed();
  }

  assert.equal(filter.bytes, 2 ** 18 / 8);
  assert.ok(held.every((key) => filter.mayHave(key)));
  assert.ok(share(filter) < 0.2, String(share(filter)));
});

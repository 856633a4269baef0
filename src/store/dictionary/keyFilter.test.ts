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
    worst.push(share(filter));
    assert.ok(
      [...held.slice(0, 500), ...held.slice(-500)].every((key) => filter.mayHave(key)),
      `batch ${batch}`,
    );
  }

  assert.ok(worst.at(-1)! < 0.05, worst.join(" "));
});

test("a larger filter begins without a key being read again", async () => {
  let reads = 0;
  const filter = new KeyFilter(
    (db, after: number | undefined, limit) => {
      reads++;
      return table([])(db, after, limit);
    },
    { firstBits: 2 ** 12, maxBits: 2 ** 31 },
  );
  const added = keys(80_000);

  for (let from = 0; from < added.length; from += 1000) {
    await filter.learn(NO_DATABASE);
    for (const key of added.slice(from, from + 1000)) filter.add(key);
  }

  assert.equal(reads, 1);
  assert.ok(filter.bytes > 2 ** 12 / 8);
  assert.ok(added.every((key) => filter.mayHave(key)));
});

test("keys that are added again take no room", async () => {
  const filter = new KeyFilter(table([]), { firstBits: 2 ** 12, maxBits: 2 ** 31 });
  await filter.learn(NO_DATABASE);

  for (let round = 0; round < 50; round++) for (const key of keys(1000)) filter.add(key);

  assert.ok(filter.bytes <= 1000 * 8, String(filter.bytes));
});

test("above its largest size it takes no more memory, and is right still", async () => {
  const held = keys(25_000);
  const filter = new KeyFilter(table(held), { firstBits: 2 ** 12, maxBits: 2 ** 18 });

  for (let round = 0; round < 40; round++) {
    await filter.learn(NO_DATABASE);
  }

  assert.ok(filter.bytes <= 2 ** 18 / 8, String(filter.bytes));
  assert.ok(held.every((key) => filter.mayHave(key)));
  assert.ok(share(filter) < 0.2, String(share(filter)));
});

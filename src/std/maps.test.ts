import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "../../test/support/random.ts";
import { firstSeed } from "../../test/support/seed.ts";
import { BoundedMap, dropOldest, LruCache } from "./maps.ts";

test("the last entries that were used are there, with their newest values", () => {
  const random = new Random(1);
  const recent = new LruCache<number, string>(50);
  const used: number[] = [];
  const values = new Map<number, string>();
  for (let round = 0; round < 5000; round++) {
    const key = random.int(200);
    if (random.chance(0.5)) {
      values.set(key, `${key} ${round}`);
      recent.set(key, values.get(key)!);
      used.push(key);
    } else if (recent.get(key) !== undefined) {
      assert.equal(recent.get(key), values.get(key));
      used.push(key);
    }
    for (const last of new Set(used.slice(-20))) assert.equal(recent.get(last), values.get(last), `seed 1, ${round}`);
  }
});

test("no more than twice as many are kept", () => {
  const recent = new LruCache<number, number>(10);
  for (let key = 0; key < 1000; key++) recent.set(key, key);

  const kept = Array.from({ length: 1000 }, (_, key) => recent.get(key)).filter((value) => value !== undefined);
  assert.ok(kept.length >= 10 && kept.length <= 20, `${kept.length}`);
});

test("entries count as much as they weigh, once for each key", () => {
  const recent = new LruCache<number, string>(100, (text) => text.length);
  for (let round = 0; round < 50; round++) recent.set(0, "x".repeat(60));
  recent.set(1, "x".repeat(30));
  assert.deepEqual([recent.get(0)?.length, recent.get(1)?.length], [60, 30]);

  for (let key = 2; key < 10; key++) recent.set(key, "x".repeat(50));
  const kept = Array.from({ length: 10 }, (_, key) => recent.get(key)).filter((text) => text !== undefined);
  assert.ok(kept.length >= 2 && kept.length <= 4, `${kept.length}`);
});

const SEED = firstSeed();

test(`holds the newest entries that fit both bounds (seed ${SEED})`, () => {
  const random = new Random(SEED);
  const [maxEntries, maxSize] = [20, 100];
  const map = new BoundedMap<number, number>({ maxEntries, maxSize, sizeOf: (value) => value });
  let expected: [number, number][] = [];
  for (let step = 0; step < 5000; step++) {
    const key = random.int(50);
    expected = expected.filter(([other]) => other !== key);
    if (random.int(4) === 0) {
      map.delete(key);
    } else {
      const size = random.int(10) === 0 ? random.int(150) : random.int(8);
      map.set(key, size);
      expected.push([key, size]);
      while (expected.length > maxEntries || expected.reduce((sum, [, each]) => sum + each, 0) > maxSize)
        expected.shift();
    }
    assert.deepEqual([...map.entries()], expected);
    assert.equal(map.get(key), expected.find(([other]) => other === key)?.[1]);
  }
});

test("what was set first goes, and only as much as is too much", () => {
  const map = new Map([
    ["a", 1],
    ["b", 2],
    ["c", 3],
  ]);

  dropOldest(map, 3);
  const whole = [...map.keys()];
  dropOldest(map, 2);
  const shorter = [...map.keys()];
  dropOldest(map, 0);

  assert.deepEqual([whole, shorter, map.size], [["a", "b", "c"], ["b", "c"], 0]);
});

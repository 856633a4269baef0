import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "../../test/support/random.ts";
import { LruCache } from "./lruCache.ts";

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

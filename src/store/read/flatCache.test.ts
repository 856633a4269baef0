import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "../../../test/support/random.ts";
import { firstSeed } from "../../../test/support/seed.ts";
import { FlatCache, PLACES } from "./flatCache.ts";

test("a value is found by its id alone, and until another takes its place", (t) => {
  const seed = firstSeed();
  t.diagnostic(`seed ${seed}`);
  const random = new Random(seed);
  const cache = new FlatCache(20);
  const newest = new Map<number, { id: number; value: Uint8Array }>();
  const idOf = () => random.int(50) + random.pick([0, 1, 5, 2 ** 20]) * PLACES;

  for (let step = 0; step < 5000; step++) {
    const id = idOf();
    const held = newest.get(id % PLACES);
    const target = new Uint8Array(32);
    const expected = new Uint8Array(32);
    if (held?.id === id) expected.set(held.value, 12);
    assert.equal(cache.copy(id, target, 12), held?.id === id);
    assert.deepEqual(target, expected);
    if (random.chance(0.5)) continue;
    const value = random.bytes(20);
    cache.set(id, value);
    newest.set(id % PLACES, { id, value });
  }
});

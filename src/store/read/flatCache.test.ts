import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "../../../test/support/random.ts";
import { firstSeed } from "../../../test/support/seed.ts";
import { CACHE_SLOTS, FlatCache } from "./flatCache.ts";

const SEED = firstSeed();
const SIZE = 20;

const bytesOf = (id: number) => Uint8Array.from({ length: SIZE }, (_, at) => (id * 31 + at * 7 + (id >> 8)) & 0xff);

function read(cache: FlatCache, id: number): Uint8Array | undefined {
  const target = new Uint8Array(SIZE + 2);
  return cache.copy(id, target, 1) ? target.slice(1, -1) : undefined;
}

test("a value is found by its id alone, and until another takes its place", (t) => {
  t.diagnostic(`seed ${SEED}`);
  const random = new Random(SEED);
  const cache = new FlatCache(20);
  const newest = new Map<number, { id: number; value: Uint8Array }>();
  const idOf = () => random.int(50) + random.pick([0, 1, 5, 2 ** 20]) * CACHE_SLOTS;

  for (let step = 0; step < 5000; step++) {
    const id = idOf();
    const held = newest.get(id % CACHE_SLOTS);
    const target = new Uint8Array(32);
    const expected = new Uint8Array(32);
    if (held?.id === id) expected.set(held.value, 12);
    assert.equal(cache.copy(id, target, 12), held?.id === id);
    assert.deepEqual(target, expected);
    if (random.chance(0.5)) continue;
    const value = random.bytes(20);
    cache.set(id, value);
    newest.set(id % CACHE_SLOTS, { id, value });
  }
});

test("neighbouring ids are all kept, as many as there are places", () => {
  const cache = new FlatCache(SIZE);
  const ids = Array.from({ length: CACHE_SLOTS }, (_, at) => at + 5);

  for (const id of ids) cache.set(id, bytesOf(id));

  for (const id of ids) assert.deepEqual(read(cache, id), bytesOf(id), `id ${id}`);
  assert.equal(read(cache, CACHE_SLOTS + 5), undefined);
});

test(`random ids have their own value or none, and the newest always has it (seed ${SEED})`, () => {
  const random = new Random(SEED);
  const cache = new FlatCache(SIZE);
  const known: number[] = [];

  for (let round = 0; round < 20_000; round++) {
    const id = random.int(random.chance(0.5) ? 1000 : 2 ** 40);
    cache.set(id, bytesOf(id));
    known.push(id);

    assert.deepEqual(read(cache, id), bytesOf(id), `id ${id} in round ${round}`);
    const other = random.pick(known);
    const found = read(cache, other);
    if (found !== undefined) assert.deepEqual(found, bytesOf(other), `id ${other} in round ${round}`);
  }
});

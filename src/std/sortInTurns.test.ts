import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "../../test/support/random.ts";
import { firstSeed } from "../../test/support/seed.ts";
import { sortInTurns } from "./sortInTurns.ts";

const SEED = firstSeed();

test(`a list is sorted as by the engine, equal items in their order (seed ${SEED})`, async () => {
  const random = new Random(SEED);
  for (const length of [0, 1, 999, 1000, 1001, 2000, 5003, 20_000]) {
    const items = Array.from({ length }, (_, at) => ({ key: random.int(500), at }));
    const before = [...items];
    const compare = (one: { key: number }, other: { key: number }) => one.key - other.key;

    assert.deepEqual(await sortInTurns(items, compare), before.toSorted(compare));
    assert.deepEqual(items, before, "the list itself stays");
  }
});

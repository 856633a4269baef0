import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "../../test/support/random.ts";
import { firstSeed } from "../../test/support/seed.ts";
import { BoundedMap } from "./boundedMap.ts";

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

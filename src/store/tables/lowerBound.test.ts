import assert from "node:assert/strict";
import { test } from "node:test";
import { lowerBound } from "./lowerBound.ts";

const RANGES = [
  [0, 1],
  [5, 5],
  [3, 40],
  [0, 2 ** 24],
  [0, 2 ** 52],
] as const;

/** Result and number of rounds, over the identity function. */
async function search(targets: readonly number[], range: readonly [number, number]) {
  let rounds = 0;
  const load = async (at: number[]) => {
    rounds++;
    assert.equal(new Set(at).size, at.length);
    assert.ok(at.length <= 128 && at.every((one) => one >= range[0] && one < range[1]), `${at}`);
    return new Map(at.map((one) => [one, one]));
  };
  const found = await lowerBound(targets, range, load, (value, target) => value! >= target);
  return { found, rounds };
}

test("the lowest integer that is past a target is found in a fifth as many rounds as its range has bits", async () => {
  for (const [low, high] of RANGES) {
    for (const border of [low, low + 1, Math.floor((low + high) / 2), high - 1, high, high + 1]) {
      const { found, rounds } = await search([border], [low, high]);
      assert.deepEqual(found, [Math.min(Math.max(border, low), high)]);
      assert.ok(rounds <= Math.ceil(Math.log2(high - low + 1) / 5), `${rounds} for ${low} to ${high}`);
    }
  }
});

test("many targets are searched for together", async () => {
  const targets = Array.from({ length: 30 }, (_, i) => Math.floor(((i * 7919) % 31) * 2 ** 18.7));
  const { found, rounds } = await search(targets, [1000, 2 ** 24]);
  assert.deepEqual(
    found,
    targets.map((target) => Math.min(Math.max(target, 1000), 2 ** 24)),
  );
  assert.ok(rounds <= 11, `${rounds}`);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { addExactly, addSums, subtractExactly } from "./numbers.ts";

const MAX = Number.MAX_SAFE_INTEGER;

test("a sum is exact on both sides of the largest number, and a number wherever it can be one", () => {
  for (const [sum, count, expected] of [
    [0, 5, 5],
    [MAX - 1, 1, MAX],
    [MAX, 1, 2n ** 53n],
    [MAX, MAX, 2n ** 54n - 2n],
    [2n ** 60n + 1n, 1, 2n ** 60n + 2n],
  ] as const) {
    assert.equal(addExactly(sum, count), expected);
    assert.equal(addSums(sum, count), expected);
    assert.equal(addSums(count, sum), expected);
    assert.equal(subtractExactly(expected, count), sum);
  }
  assert.equal(addSums(2n ** 60n, 2n ** 60n), 2n ** 61n);
  assert.equal(subtractExactly(2n ** 60n + 7n, 2n ** 60n), 7);
});

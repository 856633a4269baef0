import assert from "node:assert/strict";
import { test } from "node:test";
import { lowest } from "./lowest.ts";

test("the lowest integer that something is true of is found in as many steps as its range has bits", async () => {
  for (const [low, high] of [
    [0, 1],
    [5, 5],
    [3, 40],
    [0, 2 ** 52],
  ] as const) {
    for (const border of [low, low + 1, high - 1, high, high + 1]) {
      let steps = 0;
      const found = await lowest(low, high, async (at) => {
        assert.ok(++steps <= Math.floor(Math.log2(high - low)) + 1);
        return at >= border;
      });
      assert.equal(found, Math.min(Math.max(border, low), high));
    }
  }
});

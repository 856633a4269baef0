import assert from "node:assert/strict";
import { test } from "node:test";
import { dropOldest } from "./dropOldest.ts";

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

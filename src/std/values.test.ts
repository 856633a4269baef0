import assert from "node:assert/strict";
import { test } from "node:test";
import { defined, itemAt } from "./values.ts";

test("what is there is passed on, zero and nothing among it", () => {
  assert.deepEqual([defined(0), defined(""), defined(false), itemAt([0n, 7n], 0)], [0, "", false, 0n]);
});

test("what is missing is a defect that shows itself", () => {
  assert.throws(() => defined(new Map<string, string>().get("a")), /missing/);
  assert.throws(() => defined(null), /missing/);
  assert.throws(() => itemAt([1, 2], 2), /no item 2 in a list of 2/);
  assert.throws(() => itemAt(new Uint8Array(1), -1), RangeError);
});

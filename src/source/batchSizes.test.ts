import assert from "node:assert/strict";
import { test } from "node:test";
import { BatchSizes } from "./batchSizes.ts";

test("a kind of call never seen begins with a moderate batch, and a huge answer makes it one", () => {
  const sizes = new BatchSizes();

  assert.equal(sizes.next("blocks", 1000), 16);
  sizes.learn("blocks", 1, 50_000_000);
  assert.equal(sizes.next("blocks", 1000), 1);
  assert.equal(sizes.next("headers", 1000), 16, "kinds are learned apart");
});

test("a size that was refused is halved, never below one, and tried again after many answers", () => {
  const sizes = new BatchSizes();
  sizes.learn("headers", 100, 100);

  sizes.refuse(100);
  assert.equal(sizes.next("headers", 1000), 50);
  sizes.refuse(1);
  assert.equal(sizes.next("headers", 1000), 1);
  for (let answers = 0; answers < 64; answers++) sizes.learn("headers", 1, 1);

  assert.equal(sizes.next("headers", 1000), 2);
});

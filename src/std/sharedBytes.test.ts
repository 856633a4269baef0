import assert from "node:assert/strict";
import { test } from "node:test";
import { freeMemory, SharedBytes } from "./sharedBytes.ts";

test("bytes are there as long as somebody reads them", () => {
  const shared = new SharedBytes(Buffer.allocUnsafeSlow(8).fill(7));

  shared.hold();
  shared.release();
  assert.deepEqual([...shared.bytes], [7, 7, 7, 7, 7, 7, 7, 7]);
  shared.release();
  assert.equal(shared.bytes.length, 0);
});

test("bytes that are a part of others are not freed", () => {
  const whole = Buffer.allocUnsafeSlow(8).fill(7);

  freeMemory(whole.subarray(0, 4));
  assert.equal(whole[7], 7);
  freeMemory(whole);
  assert.equal(whole.length, 0);
});

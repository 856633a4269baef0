import assert from "node:assert/strict";
import { test } from "node:test";
import { freeMemory, SharedBytes, Slab } from "./bytes.ts";

function claimed(slab: Slab, length: number): Uint8Array {
  const start = slab.claim(length);
  return slab.bytes.subarray(start, start + length);
}

test("a slab returns zeroed, disjoint slices of the requested size", () => {
  const slab = new Slab();
  const lengths = Array.from({ length: 3000 }, (_, at) => (at * 37) % 700);

  const taken = lengths.map((length, at) => {
    const bytes = at % 3 === 0 ? claimed(slab, length) : slab.take(length);
    assert.ok(bytes.every((byte) => byte === 0));
    return bytes.fill(at % 255 || 1);
  });

  assert.deepEqual(
    taken.map(({ length }) => length),
    lengths,
  );
  for (const [at, bytes] of taken.entries()) assert.ok(bytes.every((byte) => byte === (at % 255 || 1)));
});

test("shared bytes are freed after the last release", () => {
  const shared = new SharedBytes(Buffer.allocUnsafeSlow(8).fill(7));

  shared.retain();
  shared.release();
  assert.deepEqual([...shared.bytes], [7, 7, 7, 7, 7, 7, 7, 7]);
  shared.release();
  assert.equal(shared.bytes.length, 0);
});

test("bytes that are part of a larger buffer are not freed", () => {
  const whole = Buffer.allocUnsafeSlow(8).fill(7);

  freeMemory(whole.subarray(0, 4));
  assert.equal(whole[7], 7);
  freeMemory(whole);
  assert.equal(whole.length, 0);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { SharedBytes } from "../std/bytes.ts";
import { ByteCache } from "./byteCache.ts";

const filled = (length: number) => new SharedBytes(Buffer.allocUnsafeSlow(length).fill(length));

test("the least recently used entry is evicted, and freed once no response reads it", () => {
  const cache = new ByteCache(100);
  const [one, two, three] = [filled(40), filled(50), filled(30)];
  for (const [key, shared] of [
    ["one", one],
    ["two", two],
  ] as const) {
    cache.set(key, shared);
    shared.release();
  }
  const sent = cache.get("two")!;
  cache.get("one")!.release();

  cache.set("three", three);

  assert.equal(cache.get("two"), undefined);
  assert.equal(sent.bytes.length, 50);
  sent.release();
  assert.equal(two.bytes.length, 0);
  assert.deepEqual([cache.get("one")!.bytes.length, cache.get("three")!.bytes.length], [40, 30]);
});

test("what replaces another frees it, and what is too long is not kept", () => {
  const cache = new ByteCache(100);
  const [first, second, long] = [filled(10), filled(20), filled(101)];

  cache.set("a", first);
  cache.set("a", second);
  cache.set("b", long);
  first.release();

  assert.deepEqual([first.bytes.length, cache.get("a")!.bytes.length, cache.get("b")], [0, 20, undefined]);
  assert.equal(long.bytes.length, 101);
});

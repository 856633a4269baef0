import assert from "node:assert/strict";
import { test } from "node:test";
import { KeyedHash } from "./keyedHash.ts";

const counting = (length: number) => Uint8Array.from({ length }, (_, at) => at);

test("it is HalfSipHash-2-4 with 64 bits of answer, of which the first 52 are kept", () => {
  const hash = new KeyedHash(counting(8));
  const published = [0x21, 0x8d, 0x1f, 0x59, 0xb9, 0xb8, 0x3c, 0xc8];
  const expected = new DataView(Uint8Array.from(published).buffer).getBigUint64(0, true);
  const [low, high] = [expected & 0xffffffffn, expected >> 44n];
  assert.equal(BigInt(hash.key(counting(0))), (high << 32n) | low);
});

test("values that begin alike have keys of their own, and other keys under another secret", () => {
  const values = Array.from({ length: 1000 }, (_, number) => {
    const value = new Uint8Array(20);
    new DataView(value.buffer).setUint32(16, number);
    return value;
  });
  const [one, other] = [new KeyedHash(KeyedHash.newSecret()), new KeyedHash(KeyedHash.newSecret())];
  const keys = new Set(values.flatMap((value) => [one.key(value), other.key(value)]));
  assert.equal(keys.size, 2000);
  assert.ok([...keys].every((key) => Number.isSafeInteger(key) && key < 2 ** 52));
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../../test/support/fastCheck.ts";
import { uintToBigInt } from "../encoding/uint.ts";
import { readSize } from "./word.ts";

test("a word is a size where it is whole and no larger than the data", () => {
  const data = new Uint8Array(64);
  data[31] = 64;

  assert.equal(readSize(data, 0), 64);
  assert.equal(readSize(data, 32), 0);
  assert.equal(readSize(data, 33), undefined);
  assert.equal(readSize(data, 64), undefined);
  assert.equal(readSize(data.subarray(0, 63), 0), undefined);
});

test("a size is the word's value, or the value is beyond the data", () => {
  const sparse = fc.uint8Array({ minLength: 1, maxLength: 34 }).map((tail) => {
    const data = new Uint8Array(96);
    data.set(tail.subarray(0, 32), 32 - Math.min(tail.length, 32));
    return data;
  });
  fc.assert(
    fc.property(sparse, (data) => {
      const value = uintToBigInt(data.subarray(0, 32));

      assert.equal(readSize(data, 0), value <= 96n ? Number(value) : undefined);
    }),
  );
});

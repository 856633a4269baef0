import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../../test/support/fastCheck.ts";
import { isSafeUint, uintFromBigInt, uintFromNumber, uintToBigInt, uintToNumber } from "./uint.ts";

const word = fc.oneof(
  fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
  fc.integer({ min: 0, max: 256 }).map((bits) => 2n ** BigInt(bits) - 1n),
  fc.integer({ min: 0, max: 255 }).map((bits) => 2n ** BigInt(bits)),
);

test("a bigint survives the byte form, which has no leading zero", () => {
  fc.assert(
    fc.property(word, (value) => {
      const uint = uintFromBigInt(value);

      assert.equal(uintToBigInt(uint), value);
      assert.notEqual(uint[0], 0);
      assert.equal(uint.length, value === 0n ? 0 : Math.ceil(value.toString(2).length / 8));
    }),
  );
});

test("a safe number survives the byte form", () => {
  fc.assert(
    fc.property(fc.nat({ max: Number.MAX_SAFE_INTEGER }), (value) => {
      const uint = uintFromNumber(value);

      assert.equal(uintToNumber(uint), value);
      assert.deepEqual(new Uint8Array(uint), new Uint8Array(uintFromBigInt(BigInt(value))));
    }),
  );
});

test("a uint is safe exactly up to 2^53 - 1", () => {
  assert.equal(isSafeUint(uintFromBigInt(2n ** 53n - 1n)), true);
  assert.equal(isSafeUint(uintFromBigInt(2n ** 53n)), false);
  fc.assert(
    fc.property(word, (value) => {
      assert.equal(isSafeUint(uintFromBigInt(value)), value <= BigInt(Number.MAX_SAFE_INTEGER));
    }),
  );
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { uintFromBigInt, uintFromNumber } from "../../chain/encoding/uint.ts";
import { decimal, numberOrText, percentage, timestamp } from "./amounts.ts";

test("amounts are exact decimal strings", () => {
  for (const value of [0n, 1n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 64n, 2n ** 256n - 1n]) {
    assert.equal(decimal(uintFromBigInt(value)), value.toString());
  }
});

test("a number that JSON cannot hold is a string", () => {
  assert.equal(numberOrText(uintFromBigInt(2n ** 53n - 1n)), 2 ** 53 - 1);
  assert.equal(numberOrText(uintFromBigInt(2n ** 53n)), "9007199254740992");
  assert.equal(numberOrText(uintFromNumber(0)), 0);
});

test("times have microseconds, and a time no calendar has is unknown", () => {
  assert.equal(timestamp(1_513_383_204), "2017-12-16T00:13:24.000000Z");
  assert.equal(timestamp(0), "1970-01-01T00:00:00.000000Z");
  assert.equal(timestamp(253_402_300_799), "9999-12-31T23:59:59.000000Z");
  assert.equal(timestamp(253_402_300_800), null);
  assert.equal(timestamp(2 ** 53 - 1), null);
});

test("a share of nothing is unknown", () => {
  assert.equal(percentage(1n, 0n), null);
  assert.equal(percentage(1n, 3n), 33.3333);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { toHex } from "./hex.ts";
import { isAddress, isHash, isSelector, parseInteger, parseUint256 } from "./parse.ts";

test("hex of another length, prefix or alphabet is none", () => {
  const address = `0x${"aB".repeat(20)}`;

  assert.ok(isAddress(address) && isHash(`0x${"0F".repeat(32)}`) && isSelector("0xa9059cbb"));
  for (const text of ["", "0x", address.slice(2), `${address}0`, `0X${address.slice(2)}`, `0x${"g".repeat(40)}`]) {
    assert.equal(isAddress(text), false, text);
  }
  for (const value of [undefined, null, 1, [address], `0x${"٣".repeat(40)}`, `0x${"`".repeat(40)}`]) {
    assert.equal(isAddress(value), false);
  }
});

test("integers are decimal digits alone, below 2^53 and within the digits that are allowed", () => {
  assert.deepEqual(
    ["0", "007", "9007199254740991"].map((text) => parseInteger(text)),
    [0, 7, 2 ** 53 - 1],
  );
  assert.equal(parseInteger("1000", 3), undefined);
  for (const text of ["", "-1", "+1", "1.5", "1e3", "0x1", " 1", "9007199254740992", "٣", undefined, 1, ["1"]]) {
    assert.equal(parseInteger(text), undefined, String(text));
  }
});

test("a uint256 is decimal and has 32 bytes", () => {
  const largest = (1n << 256n) - 1n;

  assert.equal(toHex(parseUint256(String(largest))!), `0x${"ff".repeat(32)}`);
  assert.equal(parseUint256("1")?.length, 32);
  for (const text of ["", "-1", "0x1", String(largest + 1n), "1".repeat(79)]) {
    assert.equal(parseUint256(text), undefined, text);
  }
});

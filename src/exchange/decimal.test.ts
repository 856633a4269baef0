import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../test/support/fastCheck.ts";
import { divideHalfEven, formatAmount, formatFraction, formatPrice, PRICE_DIGITS } from "./decimal.ts";

const PLAIN = /^(0|-?(0|[1-9]\d*)(\.\d*[1-9])?)$/;

test("an amount in whole tokens is exact and plain", () => {
  const cases: [bigint, number, string][] = [
    [0n, 18, "0"],
    [1n, 18, "0.000000000000000001"],
    [10n ** 18n, 18, "1"],
    [1_500_000n, 6, "1.5"],
    [7n, 0, "7"],
    [-25n, 1, "-2.5"],
    [10n ** 60n, 18, `1${"0".repeat(42)}`],
    [1n, 255, `0.${"0".repeat(254)}1`],
  ];

  for (const [amount, decimals, text] of cases) assert.equal(formatAmount(amount, decimals), text);
});

test("any quotient is plain, is within half a place of the true one, and never -0", () => {
  const property = (numerator: bigint, denominator: bigint, places: number) => {
    const text = formatFraction(numerator, denominator, places);
    assert.match(text, PLAIN);
    const [whole = "", rest = ""] = text.replace("-", "").split(".");
    assert.ok(rest.length <= places);
    const scaled = BigInt(whole + rest.padEnd(places, "0")) * (text.startsWith("-") ? -1n : 1n);
    const distance = numerator * 10n ** BigInt(places) - scaled * denominator;
    assert.ok(2n * (distance < 0n ? -distance : distance) <= denominator);
  };

  fc.assert(
    fc.property(
      fc.bigInt(-(2n ** 300n), 2n ** 300n),
      fc.bigInt(1n, 2n ** 260n),
      fc.integer({ min: 0, max: 60 }),
      property,
    ),
  );
});

test("what is half way goes to the even neighbour", () => {
  const halves: [bigint, bigint][] = [
    [1n, 0n],
    [3n, 2n],
    [5n, 2n],
    [-1n, 0n],
    [-3n, -2n],
  ];

  for (const [half, even] of halves) assert.equal(divideHalfEven(half, 2n), even);
  assert.equal(formatFraction(-1n, 1_000_000n, 2), "0");
});

test("a price has its significant digits, however small or large it is", () => {
  const cases: [bigint, bigint, string][] = [
    [0n, 7n, "0"],
    [1n, 10n ** 40n, `0.${"0".repeat(39)}1`],
    [2n, 3n * 10n ** 30n, `0.${"0".repeat(30)}666666666666666667`],
    [20_000n, 3n, "6666.66666666666667"],
    [10n ** 30n + 1n, 1n, `1${"0".repeat(29)}1`],
    [10n ** 19n - 1n, 10n ** 19n, "1"],
    [-1n, 3n, "-0.333333333333333333"],
  ];

  for (const [numerator, denominator, text] of cases) assert.equal(formatPrice(numerator, denominator), text);
});

test("a price is plain, and within half a digit of the last significant one", () => {
  const property = (numerator: bigint, denominator: bigint) => {
    const text = formatPrice(numerator, denominator);
    assert.match(text, PLAIN);
    const [whole = "", rest = ""] = text.split(".");
    const distance = numerator * 10n ** BigInt(rest.length) - BigInt(whole + rest) * denominator;
    const error = 2n * (distance < 0n ? -distance : distance);
    // Relative to the price, or to one if nothing is cut before the point.
    const size = numerator * 10n ** BigInt(rest.length);
    assert.ok(error * 10n ** BigInt(PRICE_DIGITS - 1) <= size || (rest === "" && error <= denominator));
  };

  fc.assert(fc.property(fc.bigInt(1n, 2n ** 300n), fc.bigInt(1n, 2n ** 300n), property));
});

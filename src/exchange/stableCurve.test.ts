import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "../../test/support/random.ts";
import { firstSeed } from "../../test/support/seed.ts";
import { slopeAt, stableCurve, stableOutput } from "./stableCurve.ts";

const SEED = firstSeed();

test("a curve has units of tokens that a contract can have", () => {
  assert.deepEqual(stableCurve([6, 0], 2), { unit0: 10n ** 6n, unit1: 1n, generation: 2 });
  assert.ok(stableCurve([77, 77], 1) !== undefined);
  assert.equal(stableCurve([78, 18], 2), undefined);
  assert.equal(stableCurve([18, 255], 2), undefined);
});

test("balanced reserves have the price of one whole token each", () => {
  const curve = stableCurve([6, 18], 2)!;

  const { numerator, denominator } = slopeAt(curve, 5n * 10n ** 6n, 5n * 10n ** 18n)!;
  assert.equal(numerator, denominator * 10n ** 12n);
  assert.equal(slopeAt(curve, 0n, 5n), undefined);
});

test(`the slope is what a small input pays (seed ${SEED})`, () => {
  const random = new Random(SEED);
  for (let count = 0; count < 200; count++) {
    const [decimals0, decimals1] = [random.pick([6, 18, 24]), random.pick([6, 18, 24])];
    const curve = stableCurve([decimals0, decimals1], random.pick([1, 2]))!;
    const reserves = [curve.unit0, curve.unit1].map((unit) => unit * BigInt(random.between(10 ** 5, 10 ** 8)));
    const [reserve0, reserve1] = reserves as [bigint, bigint];
    const { numerator, denominator } = slopeAt(curve, reserve0, reserve1)!;
    const amount = reserve0 / 100_000n;
    const { amountOut } = stableOutput(curve, [reserve0, reserve1], amount, true)!;
    const expected = Number(amount * numerator) / Number(denominator);
    assert.ok(Math.abs(Number(amountOut) / expected - 1) < 1e-3, `case ${count}: ${amountOut} and ${expected}`);
  }
});

test(`the slope rises with the ratio of reserves (seed ${SEED})`, () => {
  const random = new Random(SEED);
  const curve = stableCurve([6, 18], 2)!;
  const draw = () => [BigInt(random.between(1, 1e9)), BigInt(random.between(1, 1e9)) * 10n ** 12n] as const;
  for (let count = 0; count < 500; count++) {
    const [one, other] = [draw(), draw()];
    const [slope, another] = [slopeAt(curve, ...one)!, slopeAt(curve, ...other)!];
    const byRatio = one[1] * other[0] - other[1] * one[0];
    const bySlope = slope.numerator * another.denominator - another.numerator * slope.denominator;
    assert.equal(byRatio > 0n, bySlope > 0n, `case ${count}`);
  }
});

test("a contract reverts where 256 bits do not hold a product", () => {
  const curve = stableCurve([18, 18], 2)!;
  const huge = 2n ** 200n;

  assert.equal(stableOutput(curve, [huge, huge], 10n ** 18n, true), undefined);
  assert.equal(stableOutput(curve, [10n ** 24n, 10n ** 24n], huge, true), undefined);
  assert.equal(stableOutput(curve, [0n, 0n], 1n, true), undefined);
});

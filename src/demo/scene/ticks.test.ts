import assert from "node:assert/strict";
import { test } from "node:test";
import { sqrtPriceAt, tickAt } from "../../chain/exchange/tickMath.ts";
import { rangeAround, sqrtPrice } from "./ticks.ts";

test("ticks and roots of prices are those of the pools", () => {
  assert.equal(sqrtPriceAt(0), 1n << 96n);
  assert.equal(sqrtPriceAt(198_079), 1584511408937172342870615083422372n);
  assert.equal(sqrtPriceAt(-887_272), 4295128739n);
  assert.equal(sqrtPriceAt(887_272), 1461446703485210103287273052203988822378723970342n);
  for (const tick of [-887_272, -60, -1, 0, 1, 59, 198_079, 887_271]) assert.equal(tickAt(sqrtPriceAt(tick)), tick);
  // 2,500 of a 6-decimal token for one of 18 decimals.
  assert.equal(sqrtPrice(10n ** 18n, 2500n * 10n ** 6n), 1584563250285286751870879006720000n);
});

test("a range has ticks that its pool allows, and ends where ticks do", () => {
  assert.deepEqual(rangeAround(1n << 96n, 3000, 100), { lower: -120, upper: 120 });
  assert.deepEqual(rangeAround(1n << 96n, 500), { lower: -887_270, upper: 887_270 });
});

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Rates } from "../../../query/exchange/rates.ts";
import { assetDollars, dollarText, priceText, valuedCoins } from "./money.ts";

const RATES = { coin: "310.5", of: () => undefined } as unknown as Rates;
const UNPRICED = { coin: undefined, of: () => undefined } as unknown as Rates;

test("dollars have two decimal places, and less than a cent says so", () => {
  const shown = [0, 0.004, -0.004, 0.01, 1234.567, -2].map(dollarText);

  assert.deepEqual(shown, ["$0.00", "<$0.01", ">−$0.01", "$0.01", "$1,234.57", "−$2.00"]);
});

test("prices have two decimal places from a dollar on, four digits below, and no row of zeros", () => {
  const shown = [1, 311.141, 62213.6, 0.7, 0.872988, 0.00622136, 1.72186e-16, 0].map(priceText);

  const small = ["$0.70", "$0.873", "$0.006221", "$1.722e-16", "$0.00"];
  assert.deepEqual(shown, ["$1.00", "$311.14", "$62,213.60", ...small]);
});

test("coins have their value where the coin has a price, also more than a million of them", () => {
  const coins = (wei: bigint, rates: Rates) => assetDollars({ token: null, amount: wei }, rates);

  assert.equal(coins(2n * 10n ** 18n, RATES), 621);
  assert.equal(coins(1_000_000n * 10n ** 18n, RATES), 310_500_000);
  assert.equal(coins(10n ** 18n, UNPRICED), undefined);
  assert.equal(assetDollars({ token: null, amount: 1n, ids: [4n] }, RATES), undefined);
});

test("the value stands beside the coins, and nothing where there is none", () => {
  assert.match(String(valuedCoins(10n ** 18n, "ETH", RATES)), /ETH.*\$310\.50/s);
  assert.doesNotMatch(String(valuedCoins(0n, "ETH", RATES)), /\$/);
  assert.doesNotMatch(String(valuedCoins(10n ** 18n, "ETH", UNPRICED)), /\$/);
});

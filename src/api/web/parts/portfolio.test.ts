import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "../../../../test/support/random.ts";
import { firstSeed } from "../../../../test/support/seed.ts";
import { address } from "../../../../test/support/tokenLogs.ts";
import { toHex } from "../../../chain/encoding/hex.ts";
import type { Rates } from "../../../query/exchange/rates.ts";
import { NO_RATES } from "../../../query/exchange/rates.ts";
import type { TokenBalance } from "../../../query/tokens/balances.ts";
import type { KnownToken } from "../../../store/stages/tokens/read/tokenReads.ts";
import { initialOf, portfolioPanel, valuePortfolio } from "./portfolio.ts";

const SEED = firstSeed();

const tokenOf = (byte: number, symbol: string) =>
  ({
    id: byte,
    address: address(byte),
    seen: { decimals: 2, symbol: { text: symbol }, name: { text: symbol } },
  }) as unknown as KnownToken;

const ratesOf = (prices: ReadonlyMap<string, string>, changes: ReadonlyMap<string, number>): Rates => ({
  ...NO_RATES,
  coin: "300",
  coinChange: 10,
  of: (token) => prices.get(toHex(token)),
  changeOf: (token) => changes.get(toHex(token)),
});

const balanceOf = (token: KnownToken, amount: bigint, tokenId?: Uint8Array) =>
  ({ token, amount, tokenId }) as unknown as TokenBalance;

test(`a portfolio is worth what its parts add up to, and shares are of the whole (seed ${SEED})`, () => {
  const random = new Random(SEED);
  for (let round = 0; round < 50; round++) {
    const tokens = Array.from({ length: random.between(0, 9) }, (_, at) => tokenOf(at + 1, `T${at}`));
    const priced = tokens.filter(() => random.between(0, 3) > 0);
    const prices = new Map(priced.map((token) => [toHex(token.address), String(random.between(1, 900) / 100)]));
    const changes = new Map(priced.map((token) => [toHex(token.address), random.between(-50, 50)]));
    const balances = tokens.map((token) => balanceOf(token, BigInt(random.between(0, 1_000_000))));
    const wei = BigInt(random.between(0, 3)) * 10n ** 18n;
    const found = valuePortfolio(wei, balances, ratesOf(prices, changes))!;

    const parts = balances.map(({ token, amount }) => {
      const price = prices.get(toHex(token.address));
      return { worth: (Number(amount) / 100) * Number(price ?? 0), change: changes.get(toHex(token.address)) ?? 0 };
    });
    const all = [{ worth: Number(wei / 10n ** 18n) * 300, change: 10 }, ...parts].filter(({ worth }) => worth > 0);
    const total = all.reduce((sum, { worth }) => sum + worth, 0);
    const before = all.reduce((sum, { worth, change }) => sum + worth / (1 + change / 100), 0);
    assert.ok(Math.abs(found.total - total) <= total * 1e-9, `${found.total} of ${total}`);
    assert.equal(found.holdings.length, all.length);
    if (total > 0) assert.ok(Math.abs(found.change! - (total / before - 1) * 100) < 1e-6);
    const order = found.holdings.map(({ dollars }) => dollars);
    assert.deepEqual(
      order,
      order.toSorted((one, other) => other - one),
    );
  }
});

test("items and what has no price count nothing, and nothing is worth anything without prices", () => {
  const [coin, item] = [tokenOf(1, "AAA"), tokenOf(2, "NFT")];
  const rates = ratesOf(new Map([coin, item].map((token) => [toHex(token.address), "1"])), new Map());
  const balances = [balanceOf(coin, 500n), balanceOf(item, 1n, new Uint8Array(32))];

  const found = valuePortfolio(undefined, balances, rates)!;

  assert.deepEqual([found.total, found.tokens, found.holdings.length], [5, 5, 1]);
  assert.equal(found.change, undefined, "the price of a day ago is not known");
  assert.equal(valuePortfolio(1n, balances, NO_RATES), undefined);
});

test("names that contracts chose do not leave their place", () => {
  const tokens = [tokenOf(1, "<script>"), tokenOf(2, "\u202eevil"), tokenOf(3, `${"W".repeat(500)}`)];
  const prices = new Map(tokens.map((token) => [toHex(token.address), "2"]));
  const portfolio = valuePortfolio(
    10n ** 18n,
    tokens.map((token) => balanceOf(token, 100n)),
    ratesOf(prices, new Map()),
  )!;
  const names = { of: () => undefined };

  const { text } = portfolioPanel(portfolio, { coin: "ETH", names, path: "/address/0x", copies: new Set() })!;

  assert.doesNotMatch(text, /<script|\u202e|W{60}/);
  assert.deepEqual(["<b>", "a1", "", "\u202e"].map(initialOf), ["◆", "A", "◆", "◆"]);
});

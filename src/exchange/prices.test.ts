import assert from "node:assert/strict";
import { test } from "node:test";
import { Random } from "../../test/support/random.ts";
import { firstSeed } from "../../test/support/seed.ts";
import type { PoolSnapshot } from "./pool.ts";
import { quoteLiquidity, quoteReserves } from "./pool.ts";
import type { TokenPrice } from "./prices.ts";
import { findPrices, SCALE } from "./prices.ts";

const SEED = firstSeed();

function pair(id: number, token0: number, token1: number, reserve0: bigint, reserve1: bigint): PoolSnapshot {
  const held = { balance0: reserve0, balance1: reserve1 };
  return {
    id,
    token0,
    token1,
    ...held,
    quote: quoteReserves({ type: "v2", curve: undefined }, { reserve0, reserve1 }, held),
  };
}

const DOLLARS = new Map([[1, SCALE]]);
const rules = { minimumDepth: 1000n * SCALE };

test("a token has the price of its deepest way to an anchor, and says which", () => {
  const pools = [pair(1, 1, 2, 5000n, 50n), pair(2, 1, 3, 90_000n, 30n), pair(3, 2, 3, 700n, 30n)];

  const prices = findPrices(pools, { fixed: DOLLARS, native: undefined }, rules);

  assert.deepEqual(prices.get(3), {
    value: 3000n * SCALE,
    depth: 90_000n * SCALE,
    source: { pool: 2, token: 1 },
    hops: 1,
  });
  assert.equal(prices.get(2)!.value, (3000n * 30n * SCALE) / 700n, "by way of 3, not by the thin pool with the dollar");
  assert.deepEqual(prices.get(2)!.source, { pool: 3, token: 3 });
});

test("pools below the minimum depth, cycles and pairs of fakes give no price", () => {
  const huge = 10n ** 40n;
  const pools = [
    pair(1, 1, 2, 999n, 1n),
    pair(2, 2, 3, huge, huge),
    pair(3, 3, 4, huge, huge),
    pair(4, 2, 4, huge, huge),
  ];

  const prices = findPrices(pools, { fixed: DOLLARS, native: undefined }, rules);

  assert.deepEqual([...prices.keys()], [1]);
});

test("who holds less than the honest pools sets no price of what they price", () => {
  const honest = [pair(1, 1, 2, 400_000n, 200n), pair(2, 2, 3, 100n, 100n)];
  // Ten thousand dollars give a fake token a price, but no influence on the price of another.
  const attack = [pair(3, 1, 9, 10_000n, 1n), pair(4, 9, 3, 10n ** 9n, 1n)];

  const before = findPrices(honest, { fixed: DOLLARS, native: undefined }, rules);
  const after = findPrices([...attack, ...honest], { fixed: DOLLARS, native: undefined }, rules);

  for (const token of [1, 2, 3]) assert.equal(after.get(token)!.value, before.get(token)!.value);
});

test("the native coin has the median of its pools by their liquidity", () => {
  const pools = [
    pair(1, 1, 5, 300_000n, 100n),
    pair(2, 1, 5, 310_000n, 100n),
    pair(3, 5, 1, 10n, 300_000n),
    pair(4, 1, 5, 2000n, 1n),
  ];

  const prices = findPrices(pools, { fixed: DOLLARS, native: 5 }, rules);

  assert.equal(prices.get(5)!.value, 3100n * SCALE, "not the 30,000 of one pool, nor the mean");
});

test("who lies about the coin by far needs far more than the honest pools hold", () => {
  const honest = [pair(1, 1, 5, 300_000n, 100n)];
  // A hundred times the price, with ten times the depth of the honest pools on either side.
  const priceWith = (dollars: bigint) =>
    findPrices([...honest, pair(2, 1, 5, dollars, dollars / 300_000n)], { fixed: DOLLARS, native: 5 }, rules);

  assert.equal(priceWith(2_900_000n).get(5)!.value, 3000n * SCALE);
  assert.ok(priceWith(3_600_000n).get(5)!.value > 200_000n * SCALE, "who has that is the market");
});

test("liquidity far from the price, or with nothing behind it, makes no depth", () => {
  const one = 1n << 96n;
  const held = { balance0: 10n ** 30n, balance1: 5n };

  assert.equal(quoteLiquidity({ sqrtPrice: one, liquidity: 0n }, held), undefined);
  const quote = quoteLiquidity({ sqrtPrice: 2n * one, liquidity: 10n ** 20n }, held)!;
  assert.equal(quote.price.numerator / quote.price.denominator, 4n);
  assert.deepEqual([quote.depth0, quote.depth1], [5n * 10n ** 19n, 5n]);
});

function randomPools(random: Random): PoolSnapshot[] {
  return Array.from({ length: random.between(1, 40) }, (_, id) => {
    const token0 = random.between(1, 12);
    const token1 = 1 + ((token0 + random.between(0, 10)) % 12);
    const size = () => BigInt(random.between(1, 10 ** random.between(1, 7)));
    return pair(id, token0, token1, size(), size());
  });
}

function sourcesOf(prices: ReadonlyMap<number, TokenPrice>, token: number): number[] {
  const source = prices.get(token)!.source;
  return source === undefined ? [] : [source.token, ...sourcesOf(prices, source.token)];
}

test(`every price follows from an anchor in three steps, and no way to it was wider (seed ${SEED})`, () => {
  for (let seed = SEED; seed < SEED + 200; seed++) {
    const pools = randomPools(new Random(seed));
    const prices = findPrices(pools, { fixed: DOLLARS, native: undefined }, rules);

    for (const [token, { value, depth, source, hops }] of prices) {
      if (source === undefined) continue;
      const way = sourcesOf(prices, token);
      assert.ok(way.length === hops && hops <= 3 && way.at(-1) === 1 && !way.includes(token), `seed ${seed}`);
      const { token0, quote } = pools.find(({ id }) => id === source.pool)!;
      const { numerator, denominator } = quote!.price;
      const other = prices.get(source.token)!;
      const isFirst = token0 === source.token;
      const expected = isFirst ? (other.value * denominator) / numerator : (other.value * numerator) / denominator;
      assert.equal(value, expected, `seed ${seed}`);
      for (const pool of pools) {
        const other = pool.token0 === token ? pool.token1 : pool.token1 === token ? pool.token0 : undefined;
        const known = other === undefined ? undefined : prices.get(other);
        if (known === undefined || known.hops >= 3 || sourcesOf(prices, other!).includes(token)) continue;
        const held = known.value * (pool.token0 === other ? pool.quote!.depth0 : pool.quote!.depth1);
        if (held < rules.minimumDepth) continue;
        const width = known.depth === undefined || held < known.depth ? held : known.depth;
        assert.ok(width <= depth!, `seed ${seed}: pool ${pool.id} is a wider way to ${token}`);
      }
    }
  }
});

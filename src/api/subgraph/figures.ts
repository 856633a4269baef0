import { formatAmount, formatDigits, unitsOf } from "../../exchange/decimal.ts";
import { SCALE } from "../../exchange/prices.ts";
import { inCoins } from "../../query/subgraph/collections.ts";
import type { SubgraphPool, SubgraphToken } from "../../query/subgraph/subgraphMarket.ts";
import { use } from "./batch.ts";
import type { SubgraphContext } from "./context.ts";

/** Significant digits of graph-node's decimals. */
const DIGITS = 34;

export const quotient = (numerator: bigint, denominator: bigint): string =>
  denominator === 0n ? "0" : formatDigits(numerator, denominator, DIGITS);

/** Values in units of 1 / SCALE dollars. */
export const dollars = (value: bigint): string => quotient(value, SCALE);

export const coins = ({ state }: SubgraphContext, value: bigint): string => dollars(inCoins(state.market, value));

export function wholeTokens(
  { tokens }: SubgraphContext,
  token: SubgraphToken["token"],
  amount: bigint,
): string | Promise<string> {
  return use(tokens.load(token), ({ decimals }) => formatAmount(amount, decimals));
}

/** Amounts of a pool's tokens. */
export const amount0 = (context: SubgraphContext, { pool }: SubgraphPool, amount: bigint) =>
  wholeTokens(context, pool.token0, amount);
export const amount1 = (context: SubgraphContext, { pool }: SubgraphPool, amount: bigint) =>
  wholeTokens(context, pool.token1, amount);

/** Whole tokens of one side for a whole token of the other, by smallest units of token1 for one of token0. */
function ratioOf(
  { tokens }: SubgraphContext,
  { pool }: SubgraphPool,
  price: Price,
  of: (of0: bigint, of1: bigint) => string,
): string | Promise<string> {
  return use(tokens.load(pool.token0), ({ decimals: decimals0 }) =>
    use(tokens.load(pool.token1), ({ decimals: decimals1 }) =>
      of(price.numerator * unitsOf(decimals0), price.denominator * unitsOf(decimals1)),
    ),
  );
}

/** Whole token0 for a whole token1. */
export const price0 = (context: SubgraphContext, pool: SubgraphPool, price: Price) =>
  ratioOf(context, pool, price, (of0, of1) => quotient(of1, of0));

/** Whole token1 for a whole token0. */
export const price1 = (context: SubgraphContext, pool: SubgraphPool, price: Price) =>
  ratioOf(context, pool, price, (of0, of1) => quotient(of0, of1));

interface Price {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** By the root of it that a V3 pool keeps. */
export const rootPrice = ({ sqrtPrice }: Pick<SubgraphPool["state"], "sqrtPrice">): Price => ({
  numerator: sqrtPrice ** 2n,
  denominator: 1n << 192n,
});

/** Of a token in coins; 0 while one of them has no price. */
export function derivedPrice(context: SubgraphContext, { token, price }: SubgraphToken): string | Promise<string> {
  const coin = context.state.market.coinPrice ?? 0n;
  return use(context.tokens.load(token), ({ decimals }) =>
    quotient((price ?? 0n) * unitsOf(decimals), coin * unitsOf(18)),
  );
}

import { least } from "../std/bigints.ts";
import type { Fraction } from "./decimal.ts";

/** What is known of a pool when a block ends, as far as prices follow from it. Tokens and pools are numbers of the caller's. */
export interface PoolSnapshot {
  readonly id: number;
  readonly token0: number;
  readonly token1: number;
  /** What the pool holds of each token. */
  readonly balance0: bigint;
  readonly balance1: bigint;
  /** Undefined where the pool has no price: it is empty, or was never opened. */
  readonly quote: PoolQuote | undefined;
}

/** At what price a pool trades, and how much there is to trade with near it. */
export interface PoolQuote {
  /** Smallest units of token1 for one of token0. */
  readonly price: Fraction;
  readonly depth0: bigint;
  readonly depth1: bigint;
}

const Q96 = 1n << 96n;
const Q192 = 1n << 192n;

/** A pair of reserves trades at their ratio, and with no more than it has. */
export function quoteReserves(
  { reserve0, reserve1 }: { readonly reserve0: bigint; readonly reserve1: bigint },
  { balance0, balance1 }: Pick<PoolSnapshot, "balance0" | "balance1">,
): PoolQuote | undefined {
  if (reserve0 <= 0n || reserve1 <= 0n) return undefined;
  const price = { numerator: reserve1, denominator: reserve0 };
  return { price, depth0: least(reserve0, balance0), depth1: least(reserve1, balance1) };
}

/**
 * Concentrated liquidity trades as reserves of its size would. What lies far from the price makes no depth, however much
 * it is; nor does liquidity in a range so narrow that hardly anything is behind it.
 */
export function quoteLiquidity(
  { sqrtPrice, liquidity }: { readonly sqrtPrice: bigint; readonly liquidity: bigint },
  { balance0, balance1 }: Pick<PoolSnapshot, "balance0" | "balance1">,
): PoolQuote | undefined {
  if (sqrtPrice <= 0n || liquidity <= 0n) return undefined;
  const price = { numerator: sqrtPrice * sqrtPrice, denominator: Q192 };
  const depth0 = least((liquidity * Q96) / sqrtPrice, balance0);
  const depth1 = least((liquidity * sqrtPrice) / Q96, balance1);
  return { price, depth0, depth1 };
}

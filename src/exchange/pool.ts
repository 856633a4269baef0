import type { PairType } from "../chain/exchange/exchangeFields.ts";
import { min } from "../std/numbers.ts";
import type { Fraction } from "./decimal.ts";
import type { StableCurve } from "./stableCurve.ts";
import { slopeAt } from "./stableCurve.ts";

/** State of a pool at the end of a block, as far as pricing needs it. Token and pool ids are the caller's. */
export interface PoolSnapshot {
  readonly id: number;
  readonly token0: number;
  readonly token1: number;
  /** Pool holdings of each token. */
  readonly balance0: bigint;
  readonly balance1: bigint;
  readonly quote: PoolQuote | undefined;
}

/** Price of a pool and the depth available near it. */
export interface PoolQuote {
  /** Smallest units of token1 per smallest unit of token0. */
  readonly price: Fraction;
  readonly depth0: bigint;
  readonly depth1: bigint;
}

const Q96 = 1n << 96n;
const Q192 = 1n << 192n;

interface Reserves {
  readonly reserve0: bigint;
  readonly reserve1: bigint;
}

export interface PairCurve {
  readonly type: PairType;
  /** Of a stable pool whose tokens' decimals are known. */
  readonly curve: StableCurve | undefined;
}

/** Of the next smallest unit: the ratio of reserves with a constant product, the slope of a stable curve. */
export function priceOfReserves({ type, curve }: PairCurve, { reserve0, reserve1 }: Reserves): Fraction | undefined {
  if (type === "stable") return curve && slopeAt(curve, reserve0, reserve1);
  return reserve0 <= 0n || reserve1 <= 0n ? undefined : { numerator: reserve1, denominator: reserve0 };
}

/** The depth is what the pool holds. */
export function quoteReserves(
  pair: PairCurve,
  { reserve0, reserve1 }: Reserves,
  { balance0, balance1 }: Pick<PoolSnapshot, "balance0" | "balance1">,
): PoolQuote | undefined {
  const price = priceOfReserves(pair, { reserve0, reserve1 });
  return price && { price, depth0: min(reserve0, balance0), depth1: min(reserve1, balance1) };
}

/**
 * Concentrated liquidity, treated as reserves of the same liquidity. Positions far from the price add no depth, nor
 * does a range so narrow that it holds almost nothing.
 */
export function quoteLiquidity(
  { sqrtPrice, liquidity }: { readonly sqrtPrice: bigint; readonly liquidity: bigint },
  { balance0, balance1 }: Pick<PoolSnapshot, "balance0" | "balance1">,
): PoolQuote | undefined {
  if (sqrtPrice <= 0n || liquidity <= 0n) return undefined;
  const price = { numerator: sqrtPrice * sqrtPrice, denominator: Q192 };
  const depth0 = min((liquidity * Q96) / sqrtPrice, balance0);
  const depth1 = min((liquidity * sqrtPrice) / Q96, balance1);
  return { price, depth0, depth1 };
}

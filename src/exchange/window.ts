import { min } from "../std/numbers.ts";
import type { Fraction } from "./decimal.ts";
import type { PoolQuote } from "./pool.ts";

/** Quotes after consecutive blocks; undefined if there was no price. */
export interface QuoteSample {
  readonly quote: PoolQuote | undefined;
  readonly blocks: number;
}

/**
 * Manipulation-resistant quote over a window: the median price and the minimum depth. Liquidity present for only part
 * of the window adds no depth, and a price counts once it lasted half of it.
 */
export function lastingQuote(samples: readonly QuoteSample[]): PoolQuote | undefined {
  const quotes: PoolQuote[] = [];
  for (const { quote } of samples) {
    if (quote === undefined) return undefined;
    quotes.push(quote);
  }
  const [first, ...others] = quotes;
  if (first === undefined || others.length === 0) return first;
  return {
    price: medianPrice(quotes.map(({ price }, at) => ({ price, weight: BigInt(samples[at]!.blocks) }))),
    depth0: min(first.depth0, ...others.map(({ depth0 }) => depth0)),
    depth1: min(first.depth1, ...others.map(({ depth1 }) => depth1)),
  };
}

interface WeightedPrice {
  readonly price: Fraction;
  readonly weight: bigint;
}

/** The lowest price at or below which lies half of the weight. */
function medianPrice(prices: WeightedPrice[]): Fraction {
  prices.sort((one, other) => comparePrices(one.price, other.price));
  const total = prices.reduce((sum, { weight }) => sum + weight, 0n);
  let below = 0n;
  const found = prices.find(({ weight }) => {
    below += weight;
    return 2n * below >= total;
  });
  return found!.price;
}

function comparePrices(one: Fraction, other: Fraction): number {
  const difference = one.numerator * other.denominator - other.numerator * one.denominator;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

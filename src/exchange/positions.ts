import { amount0Between, amount1Between, MAX_TICK, MIN_TICK, sqrtPriceAt } from "../chain/exchange/tickMath.ts";
import { max, min } from "../std/numbers.ts";

interface Range {
  readonly tickLower: number;
  readonly tickUpper: number;
}

interface At {
  readonly sqrtPrice: bigint;
  readonly tick: number;
}

export const isInRange = ({ tickLower, tickUpper }: Range, { tick }: At): boolean =>
  tickLower <= tick && tick < tickUpper;

/** Amounts of liquidity at a price, rounded as the contract rounds. */
export function amountsOf(range: Range & { readonly liquidity: bigint }, at: At): readonly [bigint, bigint] {
  const { tickLower, tickUpper, liquidity } = range;
  if (tickLower >= tickUpper || tickLower < MIN_TICK || tickUpper > MAX_TICK) return [0n, 0n];
  const [lower, upper] = [sqrtPriceAt(tickLower), sqrtPriceAt(tickUpper)];
  if (at.tick < tickLower) return [amount0Between(lower, upper, liquidity, false), 0n];
  if (at.tick >= tickUpper) return [0n, amount1Between(lower, upper, liquidity, false)];
  // A hostile pool may say that its price is not within the tick that it names, or none.
  const sqrtPrice = max(lower, min(at.sqrtPrice, upper));
  return [amount0Between(sqrtPrice, upper, liquidity, false), amount1Between(lower, sqrtPrice, liquidity, false)];
}

/** Fees per unit of liquidity, in units of 2^-128, of one token; they overflow on purpose. */
export interface FeeGrowth {
  readonly global: bigint;
  readonly outsideLower: bigint;
  readonly outsideUpper: bigint;
  /** Within the range, when the position was last brought up to date. */
  readonly last: bigint;
}

const wrapped = (value: bigint) => BigInt.asUintN(256, value);

/** Fees of a position in one token since it was last updated. */
export function feesEarned(range: Range, tick: number, growth: FeeGrowth, liquidity: bigint): bigint {
  const { global, outsideLower, outsideUpper, last } = growth;
  const below = tick >= range.tickLower ? outsideLower : global - outsideLower;
  const above = tick < range.tickUpper ? outsideUpper : global - outsideUpper;
  return BigInt.asUintN(128, (wrapped(global - below - above - last) * liquidity) >> 128n);
}

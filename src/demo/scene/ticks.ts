import { MAX_TICK, tickAt } from "../../chain/exchange/tickMath.ts";
import { sqrt } from "../../std/numbers.ts";
import { defined } from "../../std/values.ts";

/** sqrtPriceX96 of token0 in token1. */
export function sqrtPrice(value0: bigint, value1: bigint): bigint {
  return sqrt((value0 << 192n) / value1);
}

const SPACINGS: Readonly<Record<number, number>> = { 500: 10, 3000: 60, 10000: 200 };

/** Usable ticks around the price, clamped to the tick range. */
export function rangeAround(sqrt: bigint, fee: number, ticks = MAX_TICK): { lower: number; upper: number } {
  const spacing = defined(SPACINGS[fee]);
  const tick = tickAt(sqrt);
  const max = Math.floor(MAX_TICK / spacing);
  const lower = Math.max(-max, Math.floor((tick - ticks) / spacing));
  const upper = Math.min(max, Math.ceil((tick + ticks) / spacing));
  return { lower: lower * spacing, upper: upper * spacing };
}

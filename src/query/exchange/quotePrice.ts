import type { Fraction } from "../../exchange/decimal.ts";
import { unitsOf } from "../../exchange/decimal.ts";
import type { PoolRecord } from "./poolPages.ts";

/** Whole quote tokens for one whole base token, of smallest units of token1 for one of token0. */
export function inQuote({ token0, token1, base }: PoolRecord, { numerator, denominator }: Fraction): Fraction {
  const [units0, units1] = [unitsOf(token0.decimals), unitsOf(token1.decimals)];
  const whole = { numerator: numerator * units0, denominator: denominator * units1 };
  return base === token0 ? whole : { numerator: whole.denominator, denominator: whole.numerator };
}

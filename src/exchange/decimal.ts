/** The denominator is above 0. */
export interface Fraction {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** Tokens with more decimals are not priced. */
export const MAX_PRICED_DECIMALS = 60;

export function unitsOf(decimals: number): bigint {
  return 10n ** BigInt(decimals);
}

/** Exact amount in whole tokens. */
export function formatAmount(amount: bigint, decimals: number): string {
  return formatScaled(amount, decimals);
}

/** Plain decimal: no exponent, no trailing zeros. Rounds half to even. */
export function formatFraction(numerator: bigint, denominator: bigint, places: number): string {
  return formatScaled(divideHalfEven(numerator * 10n ** BigInt(places), denominator), places);
}

/** Significant digits of a price. */
export const PRICE_DIGITS = 18;

/** Plain decimal with PRICE_DIGITS significant digits; the integer part is never cut. */
export function formatPrice(numerator: bigint, denominator: bigint): string {
  return formatDigits(numerator, denominator, PRICE_DIGITS);
}

/** The same with as many significant digits. */
export function formatDigits(numerator: bigint, denominator: bigint, digits: number): string {
  return formatFraction(numerator, denominator, Math.max(0, digits - 1 - magnitudeOf(numerator, denominator)));
}

/** Decimal exponent of the first digit. */
function magnitudeOf(numerator: bigint, denominator: bigint): number {
  const size = numerator < 0n ? -numerator : numerator;
  if (size === 0n) return 0;
  const guess = size.toString().length - denominator.toString().length;
  const isReached =
    guess < 0 ? size * 10n ** BigInt(-guess) >= denominator : size >= denominator * 10n ** BigInt(guess);
  return isReached ? guess : guess - 1;
}

/** Rounds half to even. */
export function divideHalfEven(numerator: bigint, denominator: bigint): bigint {
  const isNegative = numerator < 0n;
  const size = isNegative ? -numerator : numerator;
  const quotient = size / denominator;
  const twice = 2n * (size % denominator);
  const isUp = twice > denominator || (twice === denominator && quotient % 2n === 1n);
  const rounded = isUp ? quotient + 1n : quotient;
  return isNegative ? -rounded : rounded;
}

function formatScaled(value: bigint, places: number): string {
  const digits = (value < 0n ? -value : value).toString().padStart(places + 1, "0");
  const whole = digits.slice(0, digits.length - places);
  const rest = digits.slice(digits.length - places).replace(/0+$/, "");
  const text = rest === "" ? whole : `${whole}.${rest}`;
  return value < 0n ? `-${text}` : text;
}

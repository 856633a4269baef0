/** A number as the quotient of two integers, the second above 0. */
export interface Fraction {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** Decimals of tokens that are priced: a smallest unit of more is worth nothing that could be told. */
export const MAX_PRICED_DECIMALS = 60;

/** What a whole token is in its smallest units. */
export function unitsOf(decimals: number): bigint {
  return 10n ** BigInt(decimals);
}

/** An amount of smallest units in whole tokens, exactly. */
export function formatAmount(amount: bigint, decimals: number): string {
  return formatScaled(amount, decimals);
}

/**
 * A quotient as a plain decimal: digits, a point where one is needed, a sign below 0; no exponent, no trailing zeros. What is
 * cut off is rounded half to even.
 */
export function formatFraction(numerator: bigint, denominator: bigint, places: number): string {
  return formatScaled(divideHalfEven(numerator * 10n ** BigInt(places), denominator), places);
}

/** Digits of a price from the first that is not 0. */
export const PRICE_DIGITS = 18;

/** A price as a plain decimal, of anything however cheap: by its significant digits. What is before the point is whole. */
export function formatPrice(numerator: bigint, denominator: bigint): string {
  return formatFraction(numerator, denominator, Math.max(0, PRICE_DIGITS - 1 - magnitudeOf(numerator, denominator)));
}

/** The power of ten of a quotient's first digit. */
function magnitudeOf(numerator: bigint, denominator: bigint): number {
  const size = numerator < 0n ? -numerator : numerator;
  if (size === 0n) return 0;
  const guess = size.toString().length - denominator.toString().length;
  const isReached =
    guess < 0 ? size * 10n ** BigInt(-guess) >= denominator : size >= denominator * 10n ** BigInt(guess);
  return isReached ? guess : guess - 1;
}

/** The nearest integer to a quotient; of two that are equally near, the even one. */
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

import { DOLLAR, type TokenSpec } from "./spec.ts";

/** How much of a token so many dollars are at its base price. */
export function amountOf(token: TokenSpec, dollars: number): bigint {
  return amountAt(token, token.price, dollars);
}

/** How much of a token so many dollars are at a price. */
export function amountAt({ decimals }: TokenSpec, price: bigint, dollars: number): bigint {
  return (BigInt(Math.round(dollars * 100)) * DOLLAR * 10n ** BigInt(decimals)) / (price * 100n);
}

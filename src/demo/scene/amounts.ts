import { DOLLAR, type TokenSpec } from "./spec.ts";

export function amountOf(token: TokenSpec, dollars: number): bigint {
  return amountAt(token, token.price, dollars);
}

export function amountAt({ decimals }: TokenSpec, price: bigint, dollars: number): bigint {
  return (BigInt(Math.round(dollars * 100)) * DOLLAR * 10n ** BigInt(decimals)) / (price * 100n);
}

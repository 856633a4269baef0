import type { Header } from "../../chain/block/header.ts";
import { uintToBigInt } from "../../chain/encoding/uint.ts";
import type { MinedTransaction } from "../../store/transactions.ts";

/** Which of the tips paid lately, in order, a transaction offers that may wait, should not wait, or must not. */
export const PERCENTILES = { slow: 35, average: 60, fast: 90 } as const;

/** What to pay for a unit of gas, in wei. */
export interface GasPrice {
  /** Of the next block; undefined before EIP-1559. */
  readonly baseFee: bigint | undefined;
  readonly tip: bigint;
}

export type GasPrices = Readonly<Record<keyof typeof PERCENTILES, GasPrice>>;

/** From what the newest transactions paid beyond the base fee of their block. */
export function gasPrices(tip: Header, newest: readonly MinedTransaction[]): GasPrices {
  const baseFee = nextBaseFee(tip);
  const tips = newest.map(tipOf).filter((paid) => paid !== undefined);
  tips.sort((a, b) => (a < b ? -1 : Number(a > b)));
  const price = (percentile: number): GasPrice => ({ baseFee, tip: atPercentile(tips, percentile) });
  return { slow: price(PERCENTILES.slow), average: price(PERCENTILES.average), fast: price(PERCENTILES.fast) };
}

/** What pays nothing at all (deposits, what a chain sends to itself) says nothing of prices. */
function tipOf({ transaction, receipt, block }: MinedTransaction): bigint | undefined {
  const price = receipt.effectiveGasPrice ?? transaction.gasPrice;
  if (price === undefined || price.length === 0) return undefined;
  const base = block.header.baseFeePerGas;
  const paid = uintToBigInt(price) - (base === undefined ? 0n : uintToBigInt(base));
  return paid < 0n ? 0n : paid;
}

/** The least of the values, in ascending order, that so many of a hundred do not exceed; 0 of none. */
function atPercentile(values: readonly bigint[], percentile: number): bigint {
  return values[Math.ceil((values.length * percentile) / 100) - 1] ?? 0n;
}

/** EIP-1559: an eighth up or down with how full the block was. */
export function nextBaseFee({ baseFeePerGas, gasLimit, gasUsed }: Header): bigint | undefined {
  if (baseFeePerGas === undefined) return undefined;
  const fee = uintToBigInt(baseFeePerGas);
  const target = uintToBigInt(gasLimit) / 2n;
  const used = BigInt(gasUsed);
  if (target === 0n || used === target) return fee;
  if (used < target) return fee - (fee * (target - used)) / target / 8n;
  const rise = (fee * (used - target)) / target / 8n;
  return fee + (rise > 1n ? rise : 1n);
}

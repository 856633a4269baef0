import { inferFeeMarket, nextBaseFee } from "../../chain/block/baseFee.ts";
import type { Header } from "../../chain/block/header.ts";
import { uintToBigInt } from "../../chain/encoding/uint.ts";
import type { MinedTransaction } from "../../store/read/transactions.ts";

/** The newest blocks that show how the base fee follows how full they are. */
export const FEE_BLOCKS = 21;

/** Which of the tips paid lately, in order, a transaction offers that may wait, should not wait, or must not. */
export const PERCENTILES = { slow: 35, average: 60, fast: 90 } as const;

/** What to pay for a unit of gas, in wei. */
export interface GasPrice {
  /** Of the next block; undefined before EIP-1559. */
  readonly baseFee: bigint | undefined;
  readonly tip: bigint;
}

export type GasPrices = Readonly<Record<keyof typeof PERCENTILES, GasPrice>>;

/** From consecutive blocks up to the tip, and from what the newest transactions paid beyond the base fee of their block. */
export function gasPrices(recent: readonly Header[], newest: readonly MinedTransaction[]): GasPrices {
  const baseFee = predictBaseFee(recent);
  const tips = newest.map(tipOf).filter((paid) => paid !== undefined);
  tips.sort((a, b) => (a < b ? -1 : Number(a > b)));
  const price = (percentile: number): GasPrice => ({ baseFee, tip: atPercentile(tips, percentile) });
  return { slow: price(PERCENTILES.slow), average: price(PERCENTILES.average), fast: price(PERCENTILES.fast) };
}

/** Where the base fee does not follow from how full blocks are, the newest one is the best guess. */
function predictBaseFee(recent: readonly Header[]): bigint | undefined {
  const tip = recent.at(-1);
  if (tip?.baseFeePerGas === undefined) return undefined;
  const market = inferFeeMarket(recent.slice(-FEE_BLOCKS));
  return market === undefined ? uintToBigInt(tip.baseFeePerGas) : nextBaseFee(tip, market);
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

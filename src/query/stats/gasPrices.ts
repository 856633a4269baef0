import { inferFeeMarket, nextBaseFee } from "../../chain/block/baseFee.ts";
import type { Header } from "../../chain/block/header.ts";
import { uintToBigInt } from "../../chain/encoding/uint.ts";
import type { MinedTransaction } from "../../store/read/transactions.ts";

/** Blocks used to infer the fee market. */
export const FEE_BLOCKS = 21;

export const PERCENTILES = { slow: 35, average: 60, fast: 90 } as const;

export interface GasPrice {
  /** Of the next block; undefined before EIP-1559. */
  readonly baseFee: bigint | undefined;
  readonly tip: bigint;
}

export type GasPrices = Readonly<Record<keyof typeof PERCENTILES, GasPrice>>;

/** `recent` are consecutive blocks up to the tip. */
export function gasPrices(recent: readonly Header[], newest: readonly MinedTransaction[]): GasPrices {
  const baseFee = predictBaseFee(recent);
  const tips = newest.map(tipOf).filter((paid) => paid !== undefined);
  tips.sort((a, b) => (a < b ? -1 : Number(a > b)));
  const price = (percentile: number): GasPrice => ({ baseFee, tip: atPercentile(tips, percentile) });
  return { slow: price(PERCENTILES.slow), average: price(PERCENTILES.average), fast: price(PERCENTILES.fast) };
}

/** Falls back to the newest base fee if it does not follow EIP-1559. */
function predictBaseFee(recent: readonly Header[]): bigint | undefined {
  const tip = recent.at(-1);
  if (tip?.baseFeePerGas === undefined) return undefined;
  const market = inferFeeMarket(recent.slice(-FEE_BLOCKS));
  return market === undefined ? uintToBigInt(tip.baseFeePerGas) : nextBaseFee(tip, market);
}

/** Free transactions, such as deposits, are ignored. */
function tipOf({ transaction, receipt, block }: MinedTransaction): bigint | undefined {
  const price = receipt.effectiveGasPrice ?? transaction.gasPrice;
  if (price === undefined || price.length === 0) return undefined;
  const base = block.header.baseFeePerGas;
  const paid = uintToBigInt(price) - (base === undefined ? 0n : uintToBigInt(base));
  return paid < 0n ? 0n : paid;
}

function atPercentile(values: readonly bigint[], percentile: number): bigint {
  return values[Math.ceil((values.length * percentile) / 100) - 1] ?? 0n;
}

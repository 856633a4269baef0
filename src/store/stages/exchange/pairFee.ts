import type { PoolSwap } from "../../../chain/exchange/exchangeFields.ts";
import type { ByteReader, ByteWriter } from "../../rows/encoding.ts";
import type { Reserves } from "./amounts.ts";

/**
 * What swaps tell of the fee of a V2 pair, whose contract does not say it. The invariant bounds it: each swap allows a fee
 * up to what was paid. Who pays as little as the contract takes allows no more than the fee itself. Fees are in
 * hundredths of a basis point.
 */
export interface PairFee {
  /** Allowed by all swaps. */
  max: number;
  /** Whether a swap of this bound could not have paid less. */
  isExact: boolean;
  /** Exact swaps in a row that allow more, and what all of these allow. */
  above: number;
  maxAbove: number;
}

const FEE_UNIT = 1_000_000;
const MILLION = BigInt(FEE_UNIT);

/** Contracts count in basis points or tenths of a percent. */
const BASIS_POINT = 100;

/** A swap of a few smallest units allows many fees. */
const MAX_WIDTH = 5;

/** Exact swaps in a row after which a fee has risen. */
export const RISES_AFTER = 16;

export const noPairFee = (): PairFee => ({ max: FEE_UNIT, isExact: false, above: 0, maxAbove: 0 });

export const wholeFee = (bound: number): number => bound - (bound % BASIS_POINT);

/** Of a swap of one token for the other; others tell nothing, nor do reserves that a token changed by itself. */
export function noteFee(own: PairFee, swap: PoolSwap, before: Reserves, after: Reserves): void {
  const bounds = boundsOf(swap, before, after);
  if (bounds === undefined) return;
  const { max, less } = bounds;
  const [fee, known] = [wholeFee(max), wholeFee(own.max)];
  const isExact = max - less <= MAX_WIDTH && fee > less;
  if (fee > known) {
    if (isExact) rise(own, max);
    return;
  }
  own.isExact = isExact || (own.isExact && fee === known);
  own.max = Math.min(own.max, max);
  own.above = 0;
  own.maxAbove = 0;
}

/** A factory may raise the fee; whoever pays too much on purpose does not do so always. */
function rise(own: PairFee, max: number): void {
  own.maxAbove = own.above === 0 ? max : Math.min(own.maxAbove, max);
  own.above++;
  if (own.above >= RISES_AFTER) Object.assign(own, { max: own.maxAbove, isExact: true, above: 0, maxAbove: 0 });
}

/** The highest fee that a swap allows, and that of the same swap with a smallest unit more out or less in. */
function boundsOf({ input0, input1, amount0, amount1 }: PoolSwap, before: Reserves, after: Reserves) {
  if (before[0] + amount0 !== after[0] || before[1] + amount1 !== after[1]) return undefined;
  const isToken0 = input0 > 0n;
  const [input, output] = isToken0 ? [input0, -amount1] : [input1, -amount0];
  if ((isToken0 ? input1 : input0) > 0n || input <= 1n || output <= 0n) return undefined;
  const [into, out] = isToken0 ? after : [after[1], after[0]];
  const invariant = before[0] * before[1];
  if (input !== (isToken0 ? amount0 : amount1) || invariant <= 0n || out <= 1n) return undefined;
  const max = bound(into, out, input, invariant);
  const less = Math.min(bound(into, out - 1n, input, invariant), bound(into - 1n, out, input - 1n, invariant));
  return max < 0 || max > FEE_UNIT ? undefined : { max, less };
}

/** The highest f with (into · 10^6 − input · f) · out ≥ invariant · 10^6; -1 where there is none. */
function bound(into: bigint, out: bigint, input: bigint, invariant: bigint): number {
  const gained = into * out - invariant;
  return gained < 0n ? -1 : Number((MILLION * gained) / (input * out));
}

export function writePairFee({ max, isExact, above, maxAbove }: PairFee, writer: ByteWriter): void {
  for (const number of [2 * max + (isExact ? 1 : 0), above, maxAbove]) writer.varint(number);
}

export function readPairFee(reader: ByteReader): PairFee {
  const first = reader.varint();
  return { max: first >> 1, isExact: first % 2 === 1, above: reader.varint(), maxAbove: reader.varint() };
}

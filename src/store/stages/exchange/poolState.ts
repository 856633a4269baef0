import type { Bytes } from "../../../chain/encoding/bytes.ts";
import { ByteReader, ByteWriter } from "../../rows/encoding.ts";
import { writeSigned } from "../../rows/signedAmount.ts";
import type { AlgebraState } from "./algebraState.ts";
import { readAlgebra, writeAlgebra } from "./algebraState.ts";
import { readAmount, unzigzag, zigzag } from "./amounts.ts";
import type { PairFee } from "./pairFee.ts";
import { readPairFee, writePairFee } from "./pairFee.ts";
import type { SingletonState } from "./singletonState.ts";
import { readSingleton, writeSingleton } from "./singletonState.ts";
import type { SolidlyState } from "./solidlyState.ts";
import { readSolidly, writeSolidly } from "./solidlyState.ts";

/**
 * Pool state after a block that changed it, in raw amounts. Volumes, inputs, fees and counts are cumulative: a window
 * is the difference of two states.
 */
export interface PoolState {
  /** Of a pair, from its last Sync. */
  readonly reserve0: bigint;
  readonly reserve1: bigint;
  /** sqrtPriceX96 of a V3 pool; 0 before initialization. */
  readonly sqrtPrice: bigint;
  readonly tick: number;
  /** In range. */
  readonly liquidity: bigint;
  /** Holdings according to events, without direct transfers. */
  readonly amount0: bigint;
  readonly amount1: bigint;
  /**
   * Protocol fee divisors, what it takes of an input of V4 or Infinity in hundredths of a basis point, or thousandths of each fee of
   * Algebra; 0 if disabled.
   */
  readonly feeProtocol0: number;
  readonly feeProtocol1: number;
  /** Swap volume in both directions. */
  readonly volume0: bigint;
  readonly volume1: bigint;
  /** Swap inputs, of which the fee is a share. */
  readonly input0: bigint;
  readonly input1: bigint;
  /** Inputs in units of 1 / PROTOCOL_UNIT, divided by the protocol's divisor. */
  readonly protocolInput0: bigint;
  readonly protocolInput1: bigint;
  /** Protocol fees reported by swaps. */
  readonly protocolFee0: bigint;
  readonly protocolFee1: bigint;
  readonly transactions: number;
  readonly swaps: number;
  /** Of a pool without an address. */
  readonly singleton: SingletonState | undefined;
  /** Once a pool has logged what only those of Algebra log. */
  readonly algebra: AlgebraState | undefined;
  /** Once a pool has logged what only those of Solidly log. */
  readonly solidly: SolidlyState | undefined;
  /** Of a V2 pair that has traded. */
  readonly pairFee: PairFee | undefined;
  /** Extreme swap prices in the block; undefined without swaps. */
  readonly high: SwapPrice | undefined;
  readonly low: SwapPrice | undefined;
}

/** Raw token1 per token0: reserves of a pair, square root of a V3 pool. */
export type SwapPrice =
  | { readonly reserve0: bigint; readonly reserve1: bigint; readonly sqrtPrice?: undefined }
  | { readonly sqrtPrice: bigint };

/** Divisible by 1 to 10. */
export const PROTOCOL_UNIT = 2520n;

export const NO_STATE: PoolState = {
  reserve0: 0n,
  reserve1: 0n,
  sqrtPrice: 0n,
  tick: 0,
  liquidity: 0n,
  amount0: 0n,
  amount1: 0n,
  feeProtocol0: 0,
  feeProtocol1: 0,
  volume0: 0n,
  volume1: 0n,
  input0: 0n,
  input1: 0n,
  protocolInput0: 0n,
  protocolInput1: 0n,
  protocolFee0: 0n,
  protocolFee1: 0n,
  transactions: 0,
  swaps: 0,
  singleton: undefined,
  algebra: undefined,
  solidly: undefined,
  pairFee: undefined,
  high: undefined,
  low: undefined,
};

/** Groups of fields that are often all zero. */
const GROUPS = [
  ["reserve0", "reserve1"],
  ["sqrtPrice", "liquidity", "amount0", "amount1"],
  ["volume0", "volume1", "input0", "input1"],
  ["protocolInput0", "protocolInput1"],
  ["protocolFee0", "protocolFee1"],
] as const;

const HAS_TICK = 1 << GROUPS.length;
const HAS_PRICES = HAS_TICK << 1;
const IS_SINGLETON = HAS_PRICES << 1;
const IS_ALGEBRA = IS_SINGLETON << 1;
const IS_SOLIDLY = IS_ALGEBRA << 1;
const HAS_PAIR_FEE = IS_SOLIDLY << 1;

export function writePoolState(state: PoolState, writer: ByteWriter): void {
  let bits = state.tick !== 0 || state.feeProtocol0 !== 0 || state.feeProtocol1 !== 0 ? HAS_TICK : 0;
  if (state.high !== undefined) bits |= HAS_PRICES;
  if (state.singleton !== undefined) bits |= IS_SINGLETON;
  if (state.algebra !== undefined) bits |= IS_ALGEBRA;
  if (state.solidly !== undefined) bits |= IS_SOLIDLY;
  if (state.pairFee !== undefined) bits |= HAS_PAIR_FEE;
  for (const [at, keys] of GROUPS.entries()) if (keys.some((key) => state[key] !== 0n)) bits |= 1 << at;
  writer.varint(bits);
  writer.varint(state.transactions);
  writer.varint(state.swaps);
  for (const [at, keys] of GROUPS.entries()) {
    if ((bits & (1 << at)) !== 0) for (const key of keys) writer.raw(writeSigned(state[key]));
  }
  if ((bits & HAS_TICK) !== 0) {
    writer.varint(zigzag(state.tick));
    writer.varint(state.feeProtocol0);
    writer.varint(state.feeProtocol1);
  }
  if (state.high !== undefined && state.low !== undefined) writePrices(state, state.high, state.low, writer);
  if (state.singleton !== undefined) writeSingleton(state.singleton, writer);
  if (state.algebra !== undefined) writeAlgebra(state.algebra, writer);
  if (state.solidly !== undefined) writeSolidly(state.solidly, writer);
  if (state.pairFee !== undefined) writePairFee(state.pairFee, writer);
}

export function readPoolState(bytes: Bytes): PoolState {
  const reader = new ByteReader(bytes);
  const bits = reader.varint();
  const state = { ...NO_STATE, transactions: reader.varint(), swaps: reader.varint() };
  for (const [at, keys] of GROUPS.entries()) {
    if ((bits & (1 << at)) !== 0) for (const key of keys) state[key] = readAmount(reader);
  }
  if ((bits & HAS_TICK) !== 0) {
    state.tick = unzigzag(reader.varint());
    state.feeProtocol0 = reader.varint();
    state.feeProtocol1 = reader.varint();
  }
  if ((bits & HAS_PRICES) !== 0) {
    state.high = readPrice(reader, state);
    state.low = readPrice(reader, state);
  }
  if ((bits & IS_SINGLETON) !== 0) state.singleton = readSingleton(reader);
  if ((bits & IS_ALGEBRA) !== 0) state.algebra = readAlgebra(reader);
  if ((bits & IS_SOLIDLY) !== 0) state.solidly = readSolidly(reader);
  if ((bits & HAS_PAIR_FEE) !== 0) state.pairFee = readPairFee(reader);
  return state;
}

/** A price equal to the state's own takes one byte. */
const OWN = { reserves: 0, sqrtPrice: 1 } as const;
const OTHER = { reserves: 2, sqrtPrice: 3 } as const;

function writePrices(state: PoolState, high: SwapPrice, low: SwapPrice, writer: ByteWriter): void {
  for (const price of [high, low]) {
    if (price.sqrtPrice !== undefined) {
      const isOwn = price.sqrtPrice === state.sqrtPrice;
      writer.byte(isOwn ? OWN.sqrtPrice : OTHER.sqrtPrice);
      if (!isOwn) writer.raw(writeSigned(price.sqrtPrice));
    } else {
      const isOwn = price.reserve0 === state.reserve0 && price.reserve1 === state.reserve1;
      writer.byte(isOwn ? OWN.reserves : OTHER.reserves);
      if (isOwn) continue;
      writer.raw(writeSigned(price.reserve0));
      writer.raw(writeSigned(price.reserve1));
    }
  }
}

function readPrice(reader: ByteReader, { reserve0, reserve1, sqrtPrice }: PoolState): SwapPrice {
  const form = reader.byte();
  if (form === OWN.sqrtPrice) return { sqrtPrice };
  if (form === OWN.reserves) return { reserve0, reserve1 };
  if (form === OTHER.sqrtPrice) return { sqrtPrice: readAmount(reader) };
  return { reserve0: readAmount(reader), reserve1: readAmount(reader) };
}

/** A pair without token0 has an infinite price. */
export function isAbove(a: SwapPrice, b: SwapPrice): boolean {
  if (a.sqrtPrice !== undefined && b.sqrtPrice !== undefined) return a.sqrtPrice > b.sqrtPrice;
  const [above, below] = [fractionOf(a), fractionOf(b)];
  return above.numerator * below.denominator > below.numerator * above.denominator;
}

export function fractionOf(price: SwapPrice): { numerator: bigint; denominator: bigint } {
  if (price.sqrtPrice === undefined) return { numerator: price.reserve1, denominator: price.reserve0 };
  return { numerator: price.sqrtPrice ** 2n, denominator: 1n << 192n };
}

export function encodePoolState(state: PoolState): Bytes {
  const writer = new ByteWriter(160);
  writePoolState(state, writer);
  return writer.copy();
}

import type { Log } from "../block/receipt.ts";
import type { AddressBytes, Bytes } from "../encoding/bytes.ts";
import { uintToBigInt } from "../encoding/uint.ts";

/** A pool according to its creation log. The claim still has to be checked with factory and pool. */
export interface CreatedPool {
  readonly type: PoolType;
  /** The manager of a pool without an address. */
  readonly factory: AddressBytes;
  /** Its address, or the key of a pool without one. */
  readonly pool: PoolKey;
  readonly token0: AddressBytes;
  readonly token1: AddressBytes;
  /** Hundredths of a basis point; undefined for pairs, whose events do not include it. */
  readonly fee: number | undefined;
  readonly tickSpacing: number | undefined;
  /** Contract that a pool without an address calls, zero if it calls none; deployer of a custom Algebra pool. */
  readonly hooks: AddressBytes | undefined;
  /** Of a volatile or stable pool. */
  readonly generation?: SolidlyGeneration;
}

export const POOL_TYPES = ["v2", "v3", "v4", "infinity", "algebra", "volatile", "stable"] as const;

export type PoolType = (typeof POOL_TYPES)[number];

/** Of the contracts: those of Solidly, Velodrome V1 and Thena, or those of Velodrome V2 and Aerodrome. */
export type SolidlyGeneration = 1 | 2;

/** Of two reserves and shares; others have liquidity between ticks. */
export type PairType = "v2" | "volatile" | "stable";

export const isPairType = (type: PoolType): type is PairType => type === "v2" || isSolidly(type);

export const isSolidly = (type: PoolType): type is "volatile" | "stable" => type === "volatile" || type === "stable";

/** Of a manager that has all its pools: they have an id and no address. */
export const isSingleton = (type: PoolType): type is "v4" | "infinity" => type === "v4" || type === "infinity";

/** Key of a pool on the chain: its address, or for one without the address of its manager and its id. */
export type PoolKey = Bytes;

/** Raw amounts; positive into the pool. */
export interface PoolSwap {
  readonly sender: AddressBytes;
  readonly recipient: AddressBytes;
  readonly amount0: bigint;
  readonly amount1: bigint;
  /** Paid in before anything was paid out: exceeds the net amount for a flash swap. */
  readonly input0: bigint;
  readonly input1: bigint;
}

/** A V3 swap with the pool's price and liquidity. */
export interface PricedSwap extends PoolSwap {
  readonly sqrtPrice: bigint;
  readonly liquidity: bigint;
  readonly tick: number;
  /** Protocol's share of the fee, if the event includes it. */
  readonly protocolFee0: bigint;
  readonly protocolFee1: bigint;
}

/** A V3 position change logged by the pool. */
export interface LiquidityChange {
  readonly owner: AddressBytes;
  readonly tickLower: number;
  readonly tickUpper: number;
  readonly liquidity: bigint;
  readonly amount0: bigint;
  readonly amount1: bigint;
}

export interface ManagedChange {
  readonly tokenId: Bytes;
  readonly liquidity: bigint;
  readonly amount0: bigint;
  readonly amount1: bigint;
}

export function readPairCreated(log: Log): CreatedPool | undefined {
  if (!isAddress(log.topics, 1) || !isAddress(log.topics, 2) || !isAddress(log.data, 0)) return undefined;
  const [token0, token1] = [addressAt(log.topics, 1), addressAt(log.topics, 2)];
  const pool = addressAt(log.data, 0);
  const none = { fee: undefined, tickSpacing: undefined, hooks: undefined };
  return { type: "v2", factory: log.address, pool, token0, token1, ...none };
}

export function readPoolCreated(log: Log): CreatedPool | undefined {
  const { topics, data } = log;
  if (!isAddress(topics, 1) || !isAddress(topics, 2) || !isAddress(data, 1)) return undefined;
  return {
    type: "v3",
    factory: log.address,
    pool: addressAt(data, 1),
    token0: addressAt(topics, 1),
    token1: addressAt(topics, 2),
    fee: int32At(topics, 3) & 0xffffff,
    tickSpacing: int24At(data, 0),
    hooks: undefined,
  };
}

export function readSwapV2({ topics, data }: Log): PoolSwap {
  const [input0, input1] = [uintAt(data, 0), uintAt(data, 1)];
  return {
    sender: addressAt(topics, 1),
    recipient: addressAt(topics, 2),
    amount0: input0 - uintAt(data, 2),
    amount1: input1 - uintAt(data, 3),
    input0,
    input1,
  };
}

/** Uniswap's or PancakeSwap's form; the protocol fee is 0 if absent. */
export function readSwapV3({ topics, data }: Log): PricedSwap {
  const [amount0, amount1] = [intAt(data, 0), intAt(data, 1)];
  const hasProtocolFee = data.length > 5 * 32;
  return {
    sender: addressAt(topics, 1),
    recipient: addressAt(topics, 2),
    amount0,
    amount1,
    input0: amount0 > 0n ? amount0 : 0n,
    input1: amount1 > 0n ? amount1 : 0n,
    sqrtPrice: uintAt(data, 2),
    liquidity: uintAt(data, 3),
    tick: int24At(data, 4),
    protocolFee0: hasProtocolFee ? uintAt(data, 5) : 0n,
    protocolFee1: hasProtocolFee ? uintAt(data, 6) : 0n,
  };
}

export function readAmounts({ data }: Log, skipped = 0): [amount0: bigint, amount1: bigint] {
  return [uintAt(data, skipped), uintAt(data, skipped + 1)];
}

export function readInitialize({ data }: Log): { sqrtPrice: bigint; tick: number } {
  return { sqrtPrice: uintAt(data, 0), tick: int24At(data, 1) };
}

export const readMintV3 = (log: Log): LiquidityChange => readLiquidityChange(log, 1);
export const readBurnV3 = (log: Log): LiquidityChange => readLiquidityChange(log, 0);

/** Collected amounts of a position: fees and burnt liquidity. */
export function readCollect({ topics, data }: Log): LiquidityChange {
  return {
    owner: addressAt(topics, 1),
    tickLower: int24At(topics, 2),
    tickUpper: int24At(topics, 3),
    liquidity: 0n,
    amount0: uintAt(data, 1),
    amount1: uintAt(data, 2),
  };
}

function readLiquidityChange({ topics, data }: Log, skipped: number): LiquidityChange {
  return {
    owner: addressAt(topics, 1),
    tickLower: int24At(topics, 2),
    tickUpper: int24At(topics, 3),
    liquidity: uintAt(data, skipped),
    amount0: uintAt(data, skipped + 1),
    amount1: uintAt(data, skipped + 2),
  };
}

/** Protocol fee divisors per token; 0 if disabled. */
export function readFeeProtocol({ data }: Log): [token0: number, token1: number] {
  return [data[3 * 32 - 1]!, data[4 * 32 - 1]!];
}

export function readManagedChange({ topics, data }: Log): ManagedChange {
  return {
    tokenId: topics.subarray(32, 64),
    liquidity: uintAt(data, 0),
    amount0: uintAt(data, 1),
    amount1: uintAt(data, 2),
  };
}

export const readCollectedToken = ({ topics }: Log): Bytes => topics.subarray(32, 64);

export function readPositionTransfer({ topics }: Log): { from: AddressBytes; to: AddressBytes; tokenId: Bytes } {
  return { from: addressAt(topics, 1), to: addressAt(topics, 2), tokenId: topics.subarray(96, 128) };
}

export function addressAt(words: Bytes, word: number): AddressBytes {
  return words.subarray(word * 32 + 12, word * 32 + 32);
}

export function isAddress(words: Bytes, word: number): boolean {
  for (let at = word * 32; at < word * 32 + 12; at++) if (words[at] !== 0) return false;
  return true;
}

export function uintAt(words: Bytes, word: number): bigint {
  return uintToBigInt(words.subarray(word * 32, word * 32 + 32));
}

export function intAt(words: Bytes, word: number): bigint {
  return BigInt.asIntN(256, uintAt(words, word));
}

export function int32At(words: Bytes, word: number): number {
  const at = word * 32 + 28;
  return (words[at]! << 24) | (words[at + 1]! << 16) | (words[at + 2]! << 8) | words[at + 3]!;
}

export function int24At(words: Bytes, word: number): number {
  return (int32At(words, word) << 8) >> 8;
}

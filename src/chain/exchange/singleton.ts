import type { Log } from "../block/receipt.ts";
import type { AddressBytes, Bytes } from "../encoding/bytes.ts";
import { equalBytes } from "../encoding/bytes.ts";
import { keccak256 } from "../hashing/keccak.ts";
import type { CreatedPool, PoolKey, PricedSwap } from "./exchangeFields.ts";
import { addressAt, int24At, int32At, intAt, isAddress, uintAt } from "./exchangeFields.ts";
import type { ExchangeEvent } from "./exchangeLog.ts";
import { amount0Between, amount1Between, MAX_TICK, MIN_TICK, sqrtPriceAt } from "./tickMath.ts";

/** Pools of a manager of V4 or Infinity have no address: their key is that of the manager, then the id that it gives them. */
export const SINGLETON_KEY_BYTES = 52;

const ADDRESS_BYTES = 20;

export function singletonKey(manager: AddressBytes, id: Bytes): PoolKey {
  const key = new Uint8Array(SINGLETON_KEY_BYTES);
  key.set(manager);
  key.set(id, ADDRESS_BYTES);
  return key;
}

/** Undefined for a pool with an address. */
export function partsOfKey(key: PoolKey): { readonly manager: AddressBytes; readonly id: Bytes } | undefined {
  if (key.length !== SINGLETON_KEY_BYTES) return undefined;
  return { manager: key.subarray(0, ADDRESS_BYTES), id: key.subarray(ADDRESS_BYTES) };
}

const SINGLETON_EVENTS: ReadonlySet<ExchangeEvent> = new Set([
  "initializeV4",
  "initializeInfinity",
  "swapV4",
  "swapInfinity",
  "modifyLiquidity",
  "protocolFeeUpdated",
]);

/** About a pool without an address. */
export const isSingletonEvent = (event: ExchangeEvent): boolean => SINGLETON_EVENTS.has(event);

/** The pool that a log is about: the one that emits it, or one of the manager that emits it. */
export function keyOfPool(event: ExchangeEvent, { address, topics }: Log): PoolKey {
  return isSingletonEvent(event) ? singletonKey(address, topics.subarray(32, 64)) : address;
}

export interface InitializedPool extends CreatedPool {
  readonly sqrtPrice: bigint;
  readonly tick: number;
}

/** Undefined unless the id is the hash of what it stands for. */
export function readInitializeV4(log: Log): InitializedPool | undefined {
  const { address, topics, data } = log;
  if (!isAddress(topics, 2) || !isAddress(topics, 3) || !isAddress(data, 2)) return undefined;
  const id = topics.subarray(32, 64);
  const hashed = new Uint8Array(5 * 32);
  hashed.set(topics.subarray(64, 128));
  hashed.set(data.subarray(0, 96), 64);
  if (!equalBytes(keccak256(hashed), id)) return undefined;
  return {
    type: "v4",
    factory: address,
    pool: singletonKey(address, id),
    token0: addressAt(topics, 2),
    token1: addressAt(topics, 3),
    fee: int32At(data, 0) & 0xffffff,
    tickSpacing: int24At(data, 1),
    hooks: addressAt(data, 2),
    sqrtPrice: uintAt(data, 3),
    tick: int24At(data, 4),
  };
}

/** A fee that is not the pool's own, but that of each swap. */
export const DYNAMIC_FEE = 0x800000;

export interface SingletonSwap extends PricedSwap {
  /** Of this swap, the protocol's share included, in hundredths of a basis point. */
  readonly fee: number;
}

/** The event has amounts from the caller's side; here they are positive into the pool. */
export function readSwapV4({ topics, data }: Log): SingletonSwap {
  const [amount0, amount1] = [-intAt(data, 0), -intAt(data, 1)];
  const sender = addressAt(topics, 2);
  return {
    ...{ sender, recipient: sender, amount0, amount1 },
    input0: amount0 > 0n ? amount0 : 0n,
    input1: amount1 > 0n ? amount1 : 0n,
    sqrtPrice: uintAt(data, 2),
    liquidity: uintAt(data, 3),
    tick: int24At(data, 4),
    protocolFee0: 0n,
    protocolFee1: 0n,
    fee: int32At(data, 5) & 0xffffff,
  };
}

/** Liquidity of a caller between two ticks; negative where it is removed. The salt tells apart positions of one caller. */
export interface SingletonChange {
  readonly sender: AddressBytes;
  readonly tickLower: number;
  readonly tickUpper: number;
  readonly liquidity: bigint;
  readonly salt: Bytes;
}

export function readModifyLiquidity({ topics, data }: Log): SingletonChange {
  return {
    sender: addressAt(topics, 2),
    tickLower: int24At(data, 0),
    tickUpper: int24At(data, 1),
    liquidity: intAt(data, 2),
    salt: data.subarray(96, 128),
  };
}

/** In hundredths of a basis point of what goes in. */
export function readProtocolFee({ data }: Log): readonly [token0: number, token1: number] {
  const both = int32At(data, 0) & 0xffffff;
  return [both & 0xfff, both >> 12];
}

interface Priced {
  readonly sqrtPrice: bigint;
  readonly tick: number;
}

/** Amounts of a liquidity change at the pool's price, without fees, rounded as the contract rounds. */
export function amountsOfChange({ tickLower, tickUpper, liquidity }: SingletonChange, at: Priced): [bigint, bigint] {
  if (!isRange(tickLower, tickUpper) || liquidity === 0n) return [0n, 0n];
  const [lower, upper] = [sqrtPriceAt(tickLower), sqrtPriceAt(tickUpper)];
  const [size, isAdded] = liquidity < 0n ? [-liquidity, false] : [liquidity, true];
  const between = at.tick < tickLower ? lower : at.tick < tickUpper ? at.sqrtPrice : upper;
  const amount0 = between < upper && between > 0n ? amount0Between(between, upper, size, isAdded) : 0n;
  const amount1 = between > lower ? amount1Between(lower, between, size, isAdded) : 0n;
  return isAdded ? [amount0, amount1] : [-amount0, -amount1];
}

const isRange = (lower: number, upper: number) => lower < upper && lower >= MIN_TICK && upper <= MAX_TICK;

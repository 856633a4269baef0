import type { Log } from "../block/receipt.ts";
import { equalBytes } from "../encoding/bytes.ts";
import { keccak256 } from "../hashing/keccak.ts";
import { addressAt, int24At, int32At, isAddress, uintAt } from "./exchangeFields.ts";
import type { InitializedPool, SingletonSwap } from "./singleton.ts";
import { readSwapV4, singletonKey } from "./singleton.ts";

/** Undefined unless the id is the hash of what it stands for, of which the manager is a part. */
export function readInitializeInfinity({ address, topics, data }: Log): InitializedPool | undefined {
  if (!isAddress(topics, 2) || !isAddress(topics, 3) || !isAddress(data, 0)) return undefined;
  const id = topics.subarray(32, 64);
  const hashed = new Uint8Array(6 * 32);
  hashed.set(topics.subarray(64, 128));
  hashed.set(data.subarray(0, 32), 64);
  hashed.set(address, 108);
  hashed.set(data.subarray(32, 96), 128);
  if (!equalBytes(keccak256(hashed), id)) return undefined;
  return {
    type: "infinity",
    factory: address,
    pool: singletonKey(address, id),
    token0: addressAt(topics, 2),
    token1: addressAt(topics, 3),
    fee: int32At(data, 1) & 0xffffff,
    tickSpacing: tickSpacingIn(data.subarray(64, 96)),
    hooks: addressAt(data, 0),
    sqrtPrice: uintAt(data, 3),
    tick: int24At(data, 4),
  };
}

/** Above the 16 bits that say which calls the hooks want. */
const tickSpacingIn = (parameters: Uint8Array): number =>
  ((parameters[27]! << 24) | (parameters[28]! << 16) | (parameters[29]! << 8)) >> 8;

export interface InfinitySwap extends SingletonSwap {
  /** What the protocol takes of this input, in hundredths of a basis point: a pool has one from its beginning. */
  readonly protocolRate: number;
}

export function readSwapInfinity(log: Log): InfinitySwap {
  return { ...readSwapV4(log), protocolRate: int32At(log.data, 6) & 0xffff };
}

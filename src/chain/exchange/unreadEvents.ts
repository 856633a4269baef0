import type { Bytes } from "../encoding/bytes.ts";
import { keccak256 } from "../hashing/keccak.ts";

/** Events of exchanges that are not understood: those by which pools are created, then trades. */
const SIGNATURES = [
  // Slipstream, by Velodrome and Aerodrome.
  "PoolCreated(address,address,int24,address)",
  // Curve.
  "TokenExchange(address,int128,uint256,int128,uint256)",
  "TokenExchange(address,uint256,uint256,uint256,uint256)",
  // Balancer.
  "PoolRegistered(bytes32,address,uint8)",
  "Swap(bytes32,address,address,uint256,uint256)",
  // Bins of PancakeSwap Infinity.
  "Initialize(bytes32,address,address,address,uint24,bytes32,uint24)",
  "Swap(bytes32,address,int128,int128,uint24,uint24,uint16)",
] as const;

export interface UnreadEvent {
  readonly signature: string;
  readonly topic: Bytes;
}

export const UNREAD_EVENTS: readonly UnreadEvent[] = SIGNATURES.map((signature) => ({
  signature,
  topic: keccak256(Buffer.from(signature)),
}));

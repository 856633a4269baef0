import type { Log } from "../block/receipt.ts";
import type { Bytes } from "../encoding/bytes.ts";
import { keccak256 } from "./keccak.ts";

/** Log bloom (yellow paper, 4.3.1). */
export function logsBloom(logs: Iterable<Log>): Bytes {
  const bloom = new Uint8Array(256);
  for (const log of logs) {
    setBits(bloom, log.address);
    for (let at = 0; at < log.topics.length; at += 32) setBits(bloom, log.topics.subarray(at, at + 32));
  }
  return bloom;
}

function setBits(bloom: Bytes, value: Bytes): void {
  const hash = keccak256(value);
  for (let pair = 0; pair < 6; pair += 2) {
    const bit = bitAt(hash, pair);
    const at = 255 - (bit >> 3);
    bloom[at] = bloom[at]! | (1 << (bit & 7));
  }
}

function bitAt(hash: Bytes, pair: number): number {
  return ((hash[pair]! << 8) | hash[pair + 1]!) & 2047;
}

export type BloomBits = readonly [number, number, number];

export function bloomBits(value: Bytes): BloomBits {
  const hash = keccak256(value);
  return [bitAt(hash, 0), bitAt(hash, 2), bitAt(hash, 4)];
}

/** False means that the value is certainly absent. */
export function mayContain(bloom: Bytes, bits: BloomBits): boolean {
  for (const bit of bits) if ((bloom[255 - (bit >> 3)]! & (1 << (bit & 7))) === 0) return false;
  return true;
}

import { crc32 } from "node:zlib";
import type { Bytes } from "../../../chain/encoding/bytes.ts";
import type { Hex } from "../../../chain/encoding/hex.ts";
import type { Rules } from "../../rules.ts";

/** Fork id checksum (EIP-2124, EIP-6122). */
export function forkId(genesisHash: Bytes, { schedule }: Rules, timestamp: number): Hex {
  let sum = crc32(genesisHash);
  const blocks = schedule.filter((fork) => fork.timestamp === undefined).map(({ block }) => block ?? 0);
  const times = schedule.map((fork) => fork.timestamp ?? 0).filter((time) => time <= timestamp);
  for (const points of [blocks, times]) {
    const passed = [...new Set(points)].filter((point) => point > 0).sort((a, b) => a - b);
    for (const point of passed) sum = crc32(bigEndian(point), sum);
  }
  return `0x${sum.toString(16).padStart(8, "0")}`;
}

function bigEndian(point: number): Bytes {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(point));
  return bytes;
}

import type { Log } from "../../src/chain/block/receipt.ts";
import type { Bytes } from "../../src/chain/encoding/bytes.ts";
import { EMPTY } from "../../src/chain/encoding/bytes.ts";
import { fromHex } from "../../src/chain/encoding/hex.ts";

export const TOPICS = {
  transfer: "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef",
  transferSingle: "0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62",
  transferBatch: "0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb",
  deposit: "0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c",
  withdrawal: "0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65",
} as const;

export function word(value: number | Bytes): Bytes {
  const bytes = Buffer.alloc(32);
  if (typeof value === "number") bytes.writeUIntBE(value, 26, 6);
  else bytes.set(value, 32 - value.length);
  return new Uint8Array(bytes);
}

export function address(fill: number): Bytes {
  return new Uint8Array(20).fill(fill);
}

export const ZERO = address(0);

export function tokenLog(event: keyof typeof TOPICS, indexed: readonly Bytes[], data: readonly Bytes[] = []): Log {
  const topics = Buffer.concat([fromHex(TOPICS[event]), ...indexed.map(word)]);
  return {
    address: address(0xcc),
    topics: new Uint8Array(topics),
    data: data.length === 0 ? EMPTY : new Uint8Array(Buffer.concat(data)),
    logIndex: 77,
  };
}

/** Two arrays of words as a compiler lays them out. */
export function encodeArrays(first: readonly Bytes[], second: readonly Bytes[]): Bytes[] {
  const heads = [word(64), word(96 + first.length * 32)];
  return [...heads, word(first.length), ...first, word(second.length), ...second];
}

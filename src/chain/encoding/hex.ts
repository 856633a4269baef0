import { ChainError } from "../error.ts";
import type { Bytes } from "./bytes.ts";

export type Hex = `0x${string}`;

/** Two hex digits per byte, in memory order. */
const DIGITS = Uint16Array.from({ length: 256 }, (_, byte) => {
  const [high, low] = byte.toString(16).padStart(2, "0");
  return high!.charCodeAt(0) | (low!.charCodeAt(0) << 8);
});
const MAX_CHUNK_LENGTH = 1 << 13;
const pairs = new Uint16Array(1 + MAX_CHUNK_LENGTH).fill(0x7830);
const text = Buffer.from(pairs.buffer);

/** Built as one flat string: V8 serializes records with concatenated strings at half speed. */
export function toHex(bytes: Bytes): Hex {
  if (bytes.length > MAX_CHUNK_LENGTH)
    return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("hex")}`;
  for (let i = 0; i < bytes.length; i++) pairs[i + 1] = DIGITS[bytes[i]!]!;
  return text.toString("latin1", 0, 2 + 2 * bytes.length) as Hex;
}

export function fromHex(text: string): Bytes {
  const bytes = Buffer.from(text.slice(2), "hex");
  // Node's hex decoder truncates wide characters to a byte.
  const isAscii = Buffer.byteLength(text) === text.length;
  if (!text.startsWith("0x") || !isAscii || bytes.length * 2 !== text.length - 2) {
    throw new ChainError("invalid_argument", `expected 0x and pairs of hex digits, not ${JSON.stringify(clip(text))}`);
  }
  return bytes;
}

export function quantity(value: number | bigint): Hex {
  return `0x${value.toString(16)}`;
}

/** Big-endian bytes as a JSON-RPC quantity. */
export function uintToHex(uint: Bytes): Hex {
  if (uint.length === 0) return "0x0";
  const text = toHex(uint);
  return text[2] === "0" ? `0x${text.slice(3)}` : text;
}

export function clip(text: string, length = 80): string {
  return text.length <= length ? text : `${text.slice(0, length)}…`;
}

import type { Flavour } from "../../std/values.ts";
import type { Bytes } from "./bytes.ts";
import { EMPTY } from "./bytes.ts";

/**
 * Unsigned big-endian integer without leading zeros: the form of RLP and of rows, so amounts never become bigints
 * between wire and disk.
 */
export type Uint = Flavour<Bytes, "uint">;

export const MAX_UINT256 = (1n << 256n) - 1n;

/** 256 bits, little-endian like every supported platform. */
const words = new BigUint64Array(4);
const bytes = new Uint8Array(words.buffer);

/** Accepts leading zeros. */
export function uintToBigInt(uint: Uint): bigint {
  let start = 0;
  while (start < uint.length && uint[start] === 0) start++;
  const size = uint.length - start;
  if (size <= 6) return BigInt(uintToNumber(start === 0 ? uint : uint.subarray(start)));
  if (size > bytes.length) return BigInt(`0x${Buffer.from(uint).toString("hex")}`);
  let word = (size - 1) >> 3;
  words[word] = 0n;
  for (let i = 0; i < size; i++) bytes[i] = uint[uint.length - 1 - i]!;
  let value = words[word]!;
  while (word > 0) value = (value << 64n) | words[--word]!;
  return value;
}

/** Loses precision above 2^53. */
export function uintToNumber(uint: Uint): number {
  let value = 0;
  for (let i = 0; i < uint.length; i++) value = value * 256 + uint[i]!;
  return value;
}

export function uintFromBigInt(value: bigint): Uint {
  if (value === 0n) return EMPTY;
  const size = readDigits(value);
  if (size > bytes.length) return longFromBigInt(value);
  const uint = new Uint8Array(size);
  for (let i = 0; i < size; i++) uint[i] = bytes[size - 1 - i]!;
  return uint;
}

/** Returns the number of digits. */
export function writeUint(value: bigint, target: Bytes, at: number): number {
  const size = readDigits(value);
  if (size <= bytes.length) {
    for (let i = 0; i < size; i++) target[at + i] = bytes[size - 1 - i]!;
    return size;
  }
  const long = longFromBigInt(value);
  target.set(long, at);
  return long.length;
}

/** Into `bytes`, the last one first. Returns their number, or infinity if there are more. */
function readDigits(value: bigint): number {
  let size = 0;
  for (let rest = value; rest > 0n; rest >>= 64n) {
    if (size === bytes.length) return Number.POSITIVE_INFINITY;
    words[size >> 3] = rest;
    size += 8;
  }
  while (bytes[size - 1] === 0) size--;
  return size;
}

function longFromBigInt(value: bigint): Uint {
  const digits = value.toString(16);
  return new Uint8Array(Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, "hex"));
}

export function uintFromNumber(value: number): Uint {
  if (value === 0) return EMPTY;
  return uintFromBigInt(BigInt(value));
}

export function isSafeUint(uint: Uint): boolean {
  return uint.length < 7 || (uint.length === 7 && uint[0]! < 32);
}

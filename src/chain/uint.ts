import type { Bytes } from "./bytes.ts";
import { EMPTY } from "./bytes.ts";

/**
 * An unsigned integer as big-endian bytes without leading zeros: the form RLP hashes and our rows hold,
 * so that an amount goes from the wire to the disk without becoming a bigint.
 */
export type Uint = Bytes;

/** Leading zeros do no harm, so a word of 32 bytes will do. */
export function uintToBigInt(uint: Uint): bigint {
  let start = 0;
  while (start < uint.length && uint[start] === 0) start++;
  const digits = start === 0 ? uint : uint.subarray(start);
  if (digits.length <= 6) return BigInt(uintToNumber(digits));
  return BigInt(`0x${Buffer.from(digits.buffer, digits.byteOffset, digits.length).toString("hex")}`);
}

/** Exact up to 2^53; larger values lose their low digits. */
export function uintToNumber(uint: Uint): number {
  let value = 0;
  for (let i = 0; i < uint.length; i++) value = value * 256 + uint[i]!;
  return value;
}

export function uintFromBigInt(value: bigint): Uint {
  if (value === 0n) return EMPTY;
  const digits = value.toString(16);
  return Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, "hex");
}

export function uintFromNumber(value: number): Uint {
  if (value === 0) return EMPTY;
  return uintFromBigInt(BigInt(value));
}

export function isSafeUint(uint: Uint): boolean {
  return uint.length < 7 || (uint.length === 7 && uint[0]! < 32);
}

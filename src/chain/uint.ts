import type { Bytes } from "./bytes.ts";
import { EMPTY } from "./bytes.ts";

/**
 * An unsigned integer as big-endian bytes without leading zeros: the form RLP hashes and our rows hold,
 * so that an amount goes from the wire to the disk without becoming a bigint.
 */
export type Uint = Bytes;

export function uintToBigInt(uint: Uint): bigint {
  if (uint.length <= 6) return BigInt(uintToNumber(uint));
  let text = "0x";
  for (let i = 0; i < uint.length; i++) text += uint[i]!.toString(16).padStart(2, "0");
  return BigInt(text);
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

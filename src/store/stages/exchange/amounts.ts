import type { ByteReader } from "../../rows/encoding.ts";
import { readSigned } from "../../rows/signedAmount.ts";

export type Reserves = readonly [reserve0: bigint, reserve1: bigint];

/** The first byte is the length. */
export function readAmount(reader: ByteReader): bigint {
  const first = reader.byte();
  const digits = reader.raw(Math.abs(first - 128));
  const bytes = new Uint8Array(digits.length + 1);
  bytes[0] = first;
  bytes.set(digits, 1);
  return readSigned(bytes);
}

export const zigzag = (value: number): number => (value < 0 ? -value * 2 - 1 : value * 2);
export const unzigzag = (value: number): number => (value % 2 === 1 ? -(value + 1) / 2 : value / 2);

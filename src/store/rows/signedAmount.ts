import type { Bytes } from "../../chain/encoding/bytes.ts";
import { uintFromBigInt, uintToBigInt } from "../../chain/encoding/uint.ts";
import { ChainError } from "../../chain/error.ts";
import type { ByteWriter } from "./encoding.ts";
import { mustHave } from "./encoding.ts";

/**
 * Signed integers of any size in sort order: hostile tokens transfer what they never minted. The first byte is 128 plus
 * or minus the length; digits of negative numbers are complemented.
 */
const ZERO = 128;
const MAX_LENGTH = 127;

export function writeSigned(value: bigint): Bytes {
  const digits = digitsOf(value);
  const bytes = new Uint8Array(digits.length + 1);
  bytes[0] = value < 0n ? ZERO - digits.length : ZERO + digits.length;
  for (let i = 0; i < digits.length; i++) bytes[i + 1] = value < 0n ? 255 - digits[i]! : digits[i]!;
  return bytes;
}

export function appendSigned(value: bigint, writer: ByteWriter): void {
  if (value < 0n) {
    writer.string(writeSigned(value));
    return;
  }
  const digits = digitsOf(value);
  writer.varint(digits.length + 1);
  writer.byte(ZERO + digits.length);
  writer.raw(digits);
}

function digitsOf(value: bigint): Bytes {
  const digits = uintFromBigInt(value < 0n ? -value : value);
  if (digits.length > MAX_LENGTH) throw new ChainError("limit_exceeded", "an amount is longer than 127 bytes");
  return digits;
}

export function readSigned(bytes: Bytes): bigint {
  const size = Math.abs(mustHave(bytes?.[0], "an amount") - ZERO);
  if (bytes.length !== size + 1)
    throw new ChainError("store_corrupt", "a stored amount has another length than it says");
  const digits = bytes.subarray(1);
  if (bytes[0]! >= ZERO) return uintToBigInt(digits);
  return -uintToBigInt(digits.map((digit) => 255 - digit));
}

import type { Bytes } from "../../chain/encoding/bytes.ts";
import { uintToBigInt, writeUint } from "../../chain/encoding/uint.ts";
import { ChainError } from "../../chain/error.ts";
import type { ByteWriter } from "./encoding.ts";
import { mustHave } from "./encoding.ts";

/**
 * Signed integers of any size in sort order: hostile tokens transfer what they never minted. The first byte is 128 plus
 * or minus the length; digits of negative numbers are complemented.
 */
const ZERO = 128;
const MAX_LENGTH = 127;
const LIMIT = 1n << BigInt(8 * MAX_LENGTH);
const encoded = new Uint8Array(MAX_LENGTH + 1);

export function writeSigned(value: bigint): Bytes {
  return encoded.slice(0, encode(value));
}

export function appendSigned(value: bigint, writer: ByteWriter): void {
  const size = encode(value);
  writer.varint(size);
  for (let i = 0; i < size; i++) writer.byte(encoded[i]!);
}

/** Into `encoded`. Returns the size. */
function encode(value: bigint): number {
  const isNegative = value < 0n;
  const digits = isNegative ? -value : value;
  if (digits >= LIMIT) throw new ChainError("limit_exceeded", "an amount is longer than 127 bytes");
  const length = writeUint(digits, encoded, 1);
  encoded[0] = isNegative ? ZERO - length : ZERO + length;
  if (isNegative) for (let i = 1; i <= length; i++) encoded[i] = 255 - encoded[i]!;
  return length + 1;
}

export function readSigned(bytes: Bytes): bigint {
  const size = Math.abs(mustHave(bytes?.[0], "an amount") - ZERO);
  if (bytes.length !== size + 1)
    throw new ChainError("store_corrupt", "a stored amount has another length than it says");
  const digits = bytes.subarray(1);
  if (bytes[0]! >= ZERO) return uintToBigInt(digits);
  return -uintToBigInt(digits.map((digit) => 255 - digit));
}

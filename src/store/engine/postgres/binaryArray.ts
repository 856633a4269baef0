import { ChainError } from "../../../chain/error.ts";
import type { Value } from "../database.ts";

/** Object ids of the types that the store uses (pg_type.dat). */
const OID = { bytes: 17, integer: 20, text: 25 } as const;

export type ColumnType = keyof typeof OID;

const HEADER = 20;

export function columnType(oid: number): ColumnType {
  if (oid === OID.integer) return "integer";
  return oid === OID.bytes ? "bytes" : "text";
}

/**
 * An array in PostgreSQL's binary format. The driver would write it as text, with every byte of a bytea as four
 * characters.
 */
export function binaryArray(type: ColumnType, values: readonly Value[]): Buffer {
  let size = HEADER;
  let hasNull = 0;
  for (const value of values) {
    size += 4 + sizeOf(value);
    if (value === null) hasNull = 1;
  }
  const array = Buffer.allocUnsafe(size);
  array.writeInt32BE(1, 0);
  array.writeInt32BE(hasNull, 4);
  array.writeInt32BE(OID[type], 8);
  array.writeInt32BE(values.length, 12);
  array.writeInt32BE(1, 16);
  let at = HEADER;
  for (const value of values) at = writeElement(array, at, value);
  return array;
}

/** PostgreSQL has no zero character in text. */
export function storableText(text: string): string {
  return text.includes("\0") ? text.replaceAll("\0", "\ufffd") : text;
}

export function typeOf(value: Value): ColumnType {
  if (typeof value === "number") return "integer";
  return typeof value === "string" ? "text" : "bytes";
}

export function sizeOf(value: Value): number {
  if (value === null) return 0;
  if (typeof value === "number") return 8;
  return typeof value === "string" ? Buffer.byteLength(storableText(value)) : value.length;
}

/** The length of a value and the value; null has none. */
export function writeElement(array: Buffer, at: number, value: Value): number {
  if (value === null) return array.writeInt32BE(-1, at);
  const from = array.writeInt32BE(sizeOf(value), at);
  if (typeof value === "number") return writeInteger(array, from, value);
  if (typeof value === "string") return from + array.write(storableText(value), from);
  array.set(value, from);
  return from + value.length;
}

function writeInteger(array: Buffer, at: number, value: number): number {
  if (!Number.isSafeInteger(value)) throw new ChainError("internal", `${value} is not an integer that can be stored`);
  const high = Math.floor(value / 2 ** 32);
  return array.writeUInt32BE(value - high * 2 ** 32, array.writeInt32BE(high, at));
}

import type { Bytes } from "../../chain/encoding/bytes.ts";
import { corrupt } from "./encoding.ts";

const [ZERO, NINE, COLON] = Buffer.from("09:");

/** One row of some that were packed: an integer, and the bytes [start, end) of those that hold all. */
export interface PackedRow {
  readonly key: number;
  readonly bytes: Bytes;
  readonly start: number;
  readonly end: number;
}

/** Of values that a dialect has packed, all rows: each is `KEY:SIZE:BYTES`, in decimal digits. No rows are no value. */
export function unpackRows(values: Iterable<readonly [Bytes | null]>): PackedRow[] {
  const rows: PackedRow[] = [];
  for (const [bytes] of values) if (bytes !== null) unpack(bytes, rows);
  return rows;
}

function unpack(bytes: Bytes, rows: PackedRow[]): void {
  let at = 0;
  const readInteger = () => {
    const first = at;
    let value = 0;
    for (; bytes[at]! >= ZERO! && bytes[at]! <= NINE!; at++) value = value * 10 + bytes[at]! - ZERO!;
    if (at === first || bytes[at++] !== COLON) throw corrupt("a stored row is no bytes");
    return value;
  };
  while (at < bytes.length) {
    const key = readInteger();
    const size = readInteger();
    rows.push({ key, bytes, start: at, end: at + size });
    at += size;
    if (at > bytes.length) throw corrupt("a stored row ends too early");
  }
}

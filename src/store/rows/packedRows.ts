import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { ByteRange } from "./byteRange.ts";
import { corrupt } from "./encoding.ts";

export interface PackedRow extends ByteRange {
  readonly key: number;
}

/** Comma-separated keys and sizes, and concatenated bytes. */
export type PackedColumns = [keys: string | null, sizes: string | null, bytes: Bytes | null];

/** Null columns mean no rows. */
export function unpackRows(values: Iterable<Readonly<PackedColumns>>): PackedRow[] {
  const rows: PackedRow[] = [];
  for (const [keys, sizes, bytes] of values) if (keys !== null) unpack(keys, sizes ?? "", bytes ?? NO_BYTES, rows);
  return rows;
}

const NO_BYTES = new Uint8Array(0);

function unpack(keys: string, sizes: string, bytes: Bytes, rows: PackedRow[]): void {
  const [ofKeys, ofSizes] = [integersOf(keys), integersOf(sizes)];
  if (ofKeys.length !== ofSizes.length) throw corrupt("a stored row has no size");
  let start = 0;
  for (let at = 0; at < ofKeys.length; at++) {
    const size = ofSizes[at]!;
    if (size < 0) throw corrupt("a stored row is no bytes");
    rows.push({ key: ofKeys[at]!, bytes, start, end: start + size });
    start += size;
  }
  if (start !== bytes.length) throw corrupt(`stored rows of ${start} bytes have ${bytes.length}`);
}

/** Of comma-separated ones. */
export const integersOf = (list: string): readonly number[] => JSON.parse(`[${list}]`);

import type { Bytes } from "../../chain/encoding/bytes.ts";

/** The bytes [start, end) among others: arrays of their own would be most of what many small ones cost. */
export interface ByteRange {
  readonly bytes: Bytes;
  readonly start: number;
  readonly end: number;
}

export const rangeOf = (bytes: Bytes): ByteRange => ({ bytes, start: 0, end: bytes.length });

/** A view of them. */
export const viewOf = ({ bytes, start, end }: ByteRange): Bytes => bytes.subarray(start, end);

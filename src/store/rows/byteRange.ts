import type { Bytes } from "../../chain/encoding/bytes.ts";

/** A range of a shared buffer: separate arrays would dominate the cost of many small values. */
export interface ByteRange {
  readonly bytes: Bytes;
  readonly start: number;
  readonly end: number;
}

export const rangeOf = (bytes: Bytes): ByteRange => ({ bytes, start: 0, end: bytes.length });

export const viewOf = ({ bytes, start, end }: ByteRange): Bytes => bytes.subarray(start, end);

import type { Bytes } from "../encoding/bytes.ts";

export const WORD = 32;

/** The word at `at` where it can be an offset or a length in `data`; undefined where it is cut off or too large. */
export function readSize(data: Bytes, at: number): number | undefined {
  if (at + WORD > data.length) return undefined;
  for (let i = 0; i < WORD - 4; i++) if (data[at + i] !== 0) return undefined;
  let size = 0;
  for (let i = WORD - 4; i < WORD; i++) size = size * 256 + data[at + i]!;
  return size <= data.length ? size : undefined;
}

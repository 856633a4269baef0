import type { Bytes } from "../encoding/bytes.ts";

export const WORD = 32;

/** Undefined if the word is cut off or exceeds the data. */
export function readSize(data: Bytes, at: number): number | undefined {
  if (at + WORD > data.length) return undefined;
  for (let i = 0; i < WORD - 4; i++) if (data[at + i] !== 0) return undefined;
  let size = 0;
  for (let i = WORD - 4; i < WORD; i++) size = size * 256 + data[at + i]!;
  return size <= data.length ? size : undefined;
}

import type { Bytes } from "../../chain/encoding/bytes.ts";
import { EMPTY } from "../../chain/encoding/bytes.ts";

/**
 * A word of 256 bits: a number up to the largest that is exact, a bigint above. Sizes, offsets, counters and flags
 * are numbers, which need no memory of their own; equal words are `===`.
 */
export type Word = number | bigint;

const LARGEST_NUMBER = BigInt(Number.MAX_SAFE_INTEGER);

/** The word of a bigint that is not negative and has at most 256 bits. */
export function wordOf(value: bigint): Word {
  return value <= LARGEST_NUMBER ? Number(value) : value;
}

export function bigintOf(word: Word): bigint {
  return typeof word === "number" ? BigInt(word) : word;
}

/** Reads 32 bytes. */
export function readWord(view: DataView, offset: number): Word {
  const high = view.getUint32(offset + 24);
  if (high < 0x200000 && startsWithZeros(view, offset)) return high * 0x100000000 + view.getUint32(offset + 28);
  const upper = (view.getBigUint64(offset) << 64n) | view.getBigUint64(offset + 8);
  const lower = (view.getBigUint64(offset + 16) << 64n) | view.getBigUint64(offset + 24);
  return upper === 0n ? lower : (upper << 128n) | lower;
}

/** Whether the first 24 bytes are zero. */
function startsWithZeros(view: DataView, offset: number): boolean {
  return (
    (view.getUint32(offset) |
      view.getUint32(offset + 4) |
      view.getUint32(offset + 8) |
      view.getUint32(offset + 12) |
      view.getUint32(offset + 16) |
      view.getUint32(offset + 20)) ===
    0
  );
}

/** Writes 32 bytes. */
export function writeWord(view: DataView, offset: number, word: Word): void {
  if (typeof word === "number") {
    view.setFloat64(offset, 0);
    view.setFloat64(offset + 8, 0);
    view.setFloat64(offset + 16, 0);
    view.setUint32(offset + 24, word / 0x100000000);
    view.setUint32(offset + 28, word);
    return;
  }
  view.setBigUint64(offset, word >> 192n);
  view.setBigUint64(offset + 8, word >> 128n);
  view.setBigUint64(offset + 16, word >> 64n);
  view.setBigUint64(offset + 24, word);
}

const scratch = new Uint8Array(32);
const scratchView = new DataView(scratch.buffer);

/** The word of at most 32 bytes. */
export function wordFromBytes(bytes: Bytes): Word {
  if (bytes.length <= 6) {
    let value = 0;
    for (const byte of bytes) value = value * 256 + byte;
    return value;
  }
  scratch.fill(0, 0, 32 - bytes.length);
  scratch.set(bytes, 32 - bytes.length);
  return readWord(scratchView, 0);
}

/** All 32 bytes of a word. */
export function wordBytes(word: Word): Bytes {
  const bytes = new Uint8Array(32);
  writeWord(new DataView(bytes.buffer), 0, word);
  return bytes;
}

/** The bytes of a word without leading zeros. */
export function shortBytes(word: Word): Bytes {
  if (word === 0) return EMPTY;
  writeWord(scratchView, 0, word);
  let start = 0;
  while (scratch[start] === 0) start++;
  return scratch.slice(start);
}

/** A word as the key of a slot: 64 digits. */
export function slotName(word: Word): string {
  return word.toString(16).padStart(64, "0");
}

/** The address in the low 20 bytes of a word: 40 digits. */
export function addressName(word: Word): string {
  const low = typeof word === "number" ? word : BigInt.asUintN(160, word);
  return low.toString(16).padStart(40, "0");
}

/** The word of hexadecimal digits. */
export function wordFromName(digits: string): Word {
  return wordOf(BigInt(`0x${digits}`));
}

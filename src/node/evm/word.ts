import type { Bytes } from "../../chain/encoding/bytes.ts";
import { EMPTY } from "../../chain/encoding/bytes.ts";

/**
 * A 256-bit word: a number up to 2^53, a bigint above. Sizes, offsets and flags stay numbers, which need no allocation.
 * Equal words are `===`.
 */
export type Word = number | bigint;

const MAX_NUMBER = BigInt(Number.MAX_SAFE_INTEGER);

/** `value` must be in [0, 2^256). */
export function wordOf(value: bigint): Word {
  return value <= MAX_NUMBER ? Number(value) : value;
}

export function bigintOf(word: Word): bigint {
  return typeof word === "number" ? BigInt(word) : word;
}

export function readWord(view: DataView, offset: number): Word {
  const high = view.getUint32(offset + 24);
  if (high < 0x200000 && startsWithZeros(view, offset)) return high * 0x100000000 + view.getUint32(offset + 28);
  const upper = (view.getBigUint64(offset) << 64n) | view.getBigUint64(offset + 8);
  const lower = (view.getBigUint64(offset + 16) << 64n) | view.getBigUint64(offset + 24);
  return upper === 0n ? lower : (upper << 128n) | lower;
}

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

export function wordBytes(word: Word): Bytes {
  const bytes = new Uint8Array(32);
  writeWord(new DataView(bytes.buffer), 0, word);
  return bytes;
}

export function shortBytes(word: Word): Bytes {
  if (word === 0) return EMPTY;
  writeWord(scratchView, 0, word);
  let start = 0;
  while (scratch[start] === 0) start++;
  return scratch.slice(start);
}

/** 64 hex digits. */
export function slotName(word: Word): string {
  return word.toString(16).padStart(64, "0");
}

/** Low 20 bytes as 40 hex digits. */
export function addressName(word: Word): string {
  const low = typeof word === "number" ? word : BigInt.asUintN(160, word);
  return low.toString(16).padStart(40, "0");
}

export function wordFromName(digits: string): Word {
  return wordOf(BigInt(`0x${digits}`));
}

import type { Bytes } from "../../chain/encoding/bytes.ts";
import { EMPTY } from "../../chain/encoding/bytes.ts";
import type { Word } from "./word.ts";
import { readWord, writeWord } from "./word.ts";

/** More than 2 GB cannot be had for any gas. */
const MAX_WORDS = 2 ** 26;

const FIRST_BYTES = 1024;

/** The memory of one call. It grows by words, which have been paid before. */
export class Memory {
  #bytes: Uint8Array<ArrayBuffer> = NOTHING;
  #view: DataView = NO_VIEW;
  /** How many words it has. */
  words = 0;
  /** What all of them have cost. */
  #paid = 0;

  /** What it costs to reach up to there; an access to nothing reaches nowhere. */
  growthCost(offset: Word, length: Word): number {
    if (length === 0) return 0;
    const words = wordsUpTo(offset, length);
    if (words <= this.words) return 0;
    return words > MAX_WORDS ? Number.POSITIVE_INFINITY : costOf(words) - this.#paid;
  }

  /** Grows where it is too small. */
  grow(offset: Word, length: Word): void {
    if (length === 0) return;
    const words = wordsUpTo(offset, length);
    if (words <= this.words) return;
    this.words = words;
    this.#paid = costOf(words);
    const size = words * 32;
    if (size <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(size, 2 * this.#bytes.length, FIRST_BYTES));
    grown.set(this.#bytes);
    this.#bytes = grown;
    this.#view = new DataView(grown.buffer);
  }

  read(offset: number): Word {
    return readWord(this.#view, offset);
  }

  write(offset: number, word: Word): void {
    writeWord(this.#view, offset, word);
  }

  writeByte(offset: number, byte: number): void {
    this.#bytes[offset] = byte;
  }

  /** A part of it as it stands now; only to be looked at before anything is written. */
  view(offset: Word, length: Word): Bytes {
    if (length === 0) return EMPTY;
    return this.#bytes.subarray(offset as number, (offset as number) + (length as number));
  }

  copy(offset: Word, length: Word): Bytes {
    return this.view(offset, length).slice();
  }

  /** Writes bytes of somewhere else; behind their end are zeros. */
  place(target: number, source: Bytes, from: Word, length: number): void {
    if (length === 0) return;
    const start = typeof from === "number" && from < source.length ? from : source.length;
    const part = source.subarray(start, start + length);
    this.#bytes.set(part, target);
    this.#bytes.fill(0, target + part.length, target + length);
  }

  move(target: number, from: number, length: number): void {
    if (length > 0) this.#bytes.copyWithin(target, from, from + length);
  }
}

const NOTHING = new Uint8Array(0);
const NO_VIEW = new DataView(NOTHING.buffer);

function wordsUpTo(offset: Word, length: Word): number {
  if (typeof offset !== "number" || typeof length !== "number") return Number.POSITIVE_INFINITY;
  return Math.ceil((offset + length) / 32);
}

function costOf(words: number): number {
  return 3 * words + Math.floor((words * words) / 512);
}

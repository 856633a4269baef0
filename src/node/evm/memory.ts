import type { Bytes } from "../../chain/encoding/bytes.ts";
import { EMPTY } from "../../chain/encoding/bytes.ts";
import type { Word } from "./word.ts";
import { readWord, writeWord } from "./word.ts";

/** No gas pays for more than 2 GB. */
const MAX_WORDS = 2 ** 26;

const FIRST_BYTES = 1024;

/** Word-addressed memory of a call; expansion is charged before. */
export class Memory {
  #bytes: Uint8Array<ArrayBuffer> = NOTHING;
  #view: DataView = NO_VIEW;
  words = 0;
  #paid = 0;

  /** Expansion cost; zero-length accesses are free. */
  growthCost(offset: Word, length: Word): number {
    if (length === 0) return 0;
    const words = wordsUpTo(offset, length);
    if (words <= this.words) return 0;
    return words > MAX_WORDS ? Number.POSITIVE_INFINITY : costOf(words) - this.#paid;
  }

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

  /** Valid until the next write. */
  view(offset: Word, length: Word): Bytes {
    if (length === 0) return EMPTY;
    return this.#bytes.subarray(offset as number, (offset as number) + (length as number));
  }

  copy(offset: Word, length: Word): Bytes {
    return this.view(offset, length).slice();
  }

  /** Zero-padded past the end of the source. */
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

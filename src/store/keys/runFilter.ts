import { KEY_SPACE } from "./keyTable.ts";

/** About 1 in 200 other keys passes, blocks of equal size filled by chance included. */
const BITS_PER_KEY = 12;

/** A block is as wide as half a cache line: one read of memory for a key. */
const WORDS_PER_BLOCK = 8;
const BLOCK_BITS = WORDS_PER_BLOCK * 32;

/** Odd multipliers that choose the bit of each word, those of Parquet's split block Bloom filter. */
const SALTS = Int32Array.of(
  0x47b6137b,
  0x44974d91,
  0x8824ad5b,
  0xa2b7289d,
  0x705495c7,
  0x2df1424b,
  0x9efc4947,
  0x5c6bfb31,
);

/**
 * A split block Bloom filter over the keys of a run. Blocks are chosen by the upper bits of a key, so it is filled range
 * by range, as a run is written and read.
 */
export class RunFilter {
  readonly #words: Uint32Array;
  readonly #scale: number;

  constructor(keys: number) {
    this.#words = new Uint32Array(RunFilter.bytesFor(keys) / 4);
    this.#scale = this.#words.length / WORDS_PER_BLOCK / KEY_SPACE;
  }

  static bytesFor(keys: number): number {
    return (Math.max(1, Math.ceil((keys * BITS_PER_KEY) / BLOCK_BITS)) * BLOCK_BITS) / 8;
  }

  get bytes(): number {
    return this.#words.byteLength;
  }

  add(key: number): void {
    const words = this.#words;
    const first = Math.floor(key * this.#scale) * WORDS_PER_BLOCK;
    const low = key | 0;
    for (let i = 0; i < WORDS_PER_BLOCK; i++) words[first + i]! |= 1 << (Math.imul(low, SALTS[i]!) >>> 27);
  }

  mayHave(key: number): boolean {
    const words = this.#words;
    const first = Math.floor(key * this.#scale) * WORDS_PER_BLOCK;
    const low = key | 0;
    for (let i = 0; i < WORDS_PER_BLOCK; i++) {
      if ((words[first + i]! & (1 << (Math.imul(low, SALTS[i]!) >>> 27))) === 0) return false;
    }
    return true;
  }
}

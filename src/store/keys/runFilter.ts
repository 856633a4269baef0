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

/** Segments of 128 KiB. A filter has memory for those that have keys. A power of two. */
const BLOCKS_PER_SEGMENT = 4096;

/**
 * A split block Bloom filter over the keys of a run. Blocks are chosen by the upper bits of a key, so it is filled range
 * by range, as a run is written and read, and released the same way as a run is merged into another.
 */
export class RunFilter {
  readonly #segments: (Uint32Array | undefined)[];
  readonly #blocks: number;
  readonly #perSegment: number;
  /** Bits of a block's number that say which one of its segment it is. */
  readonly #segmentBits: number;
  readonly #scale: number;
  #bytes = 0;

  constructor(keys: number, blocksPerSegment = BLOCKS_PER_SEGMENT) {
    this.#perSegment = blocksPerSegment;
    this.#segmentBits = 31 - Math.clz32(blocksPerSegment);
    this.#blocks = Math.max(1, Math.ceil((keys * BITS_PER_KEY) / BLOCK_BITS));
    this.#segments = new Array(Math.ceil(this.#blocks / this.#perSegment)).fill(undefined);
    this.#scale = this.#blocks / KEY_SPACE;
  }

  /** Of the memory it has now. */
  get bytes(): number {
    return this.#bytes;
  }

  /** With all segments. */
  get maxBytes(): number {
    return (this.#blocks * BLOCK_BITS) / 8;
  }

  /** Keys below this one are not asked for any more. */
  release(below: number): void {
    const end = Math.floor(Math.floor(below * this.#scale) / this.#perSegment);
    for (let at = end - 1; at >= 0; at--) {
      const segment = this.#segments[at];
      if (segment === undefined) return;
      this.#bytes -= segment.byteLength;
      this.#segments[at] = undefined;
    }
  }

  add(key: number): void {
    const block = (key * this.#scale) | 0;
    const words = this.#segment(block >> this.#segmentBits);
    const first = (block & (this.#perSegment - 1)) * WORDS_PER_BLOCK;
    const low = key | 0;
    for (let i = 0; i < WORDS_PER_BLOCK; i++) words[first + i]! |= 1 << (Math.imul(low, SALTS[i]!) >>> 27);
  }

  mayHave(key: number): boolean {
    const block = (key * this.#scale) | 0;
    const words = this.#segments[block >> this.#segmentBits];
    if (words === undefined) return false;
    const first = (block & (this.#perSegment - 1)) * WORDS_PER_BLOCK;
    const low = key | 0;
    for (let i = 0; i < WORDS_PER_BLOCK; i++) {
      if ((words[first + i]! & (1 << (Math.imul(low, SALTS[i]!) >>> 27))) === 0) return false;
    }
    return true;
  }

  #segment(at: number): Uint32Array {
    const known = this.#segments[at];
    if (known !== undefined) return known;
    const blocks = Math.min(this.#perSegment, this.#blocks - at * this.#perSegment);
    const segment = new Uint32Array(blocks * WORDS_PER_BLOCK);
    this.#segments[at] = segment;
    this.#bytes += segment.byteLength;
    return segment;
  }
}

import type { Reader } from "../engine/database.ts";

const PROBES = 5;

/** Below this ratio a further filter begins; at it, under 1 in 500 unknown keys passes each. */
const MIN_BITS_PER_KEY = 16;
const GROWTH = 4;
const LEARN_BATCH_SIZE = 10_000;

interface FilterSizes {
  /** Powers of two of at most 2^32. */
  readonly firstBits: number;
  /** Of all filters together. */
  readonly maxBits: number;
}

/** From 2 MiB, for a million keys, to 256 MiB, for 85 million. */
export const FILTER_SIZES: FilterSizes = { firstBits: 2 ** 24, maxBits: 2 ** 31 };

export interface KeyPage<Cursor> {
  readonly keys: readonly number[];
  readonly last: Cursor | undefined;
}

/** Fewer than `limit` keys are the last. */
export type ReadKeys<Cursor> = (db: Reader, after: Cursor | undefined, limit: number) => Promise<KeyPage<Cursor>>;

/**
 * Scalable Bloom filter over a table's keys, so that new values, which are most unknown ones, need no lookup. An
 * existing table is added in steps; until then every key may exist. Where one filter is full a larger one begins, and no
 * key is read again. Deleted keys stay, which only costs a lookup.
 */
export class KeyFilter<Cursor> {
  readonly #readKeys: ReadKeys<Cursor>;
  readonly #sizes: FilterSizes;
  readonly #filters: BloomFilter[] = [];
  #cursor: Cursor | undefined;
  #addedSince = 0;
  #isComplete = false;

  constructor(readKeys: ReadKeys<Cursor>, sizes = FILTER_SIZES) {
    this.#readKeys = readKeys;
    this.#sizes = sizes;
  }

  get bytes(): number {
    return this.#bits / 8;
  }

  /** Whether the key may have been there before. */
  add(key: number): boolean {
    this.#addedSince++;
    return !this.#insert(key) || !this.#isComplete;
  }

  mayHave(key: number): boolean {
    return !this.#isComplete || this.#has(key);
  }

  /** Adds more existing keys; `rows` is an upper bound of their number. */
  async learn(db: Reader, rows = 0): Promise<void> {
    if (this.#isComplete) return;
    if (this.#filters.length === 0) this.#filters.push(new BloomFilter(this.#bitsFor(rows)));
    // New keys must not arrive faster than old ones are added.
    const limit = LEARN_BATCH_SIZE + 2 * this.#addedSince;
    this.#addedSince = 0;
    const { keys, last } = await this.#readKeys(db, this.#cursor, limit);
    for (const key of keys) this.#insert(key);
    this.#cursor = last;
    this.#isComplete = keys.length < limit;
  }

  get #bits(): number {
    return this.#filters.reduce((sum, { bits }) => sum + bits, 0);
  }

  #has(key: number): boolean {
    return this.#filters.some((filter) => filter.mayHave(key));
  }

  #insert(key: number): boolean {
    if (this.#has(key)) return false;
    const newest = this.#filters.at(-1)!;
    newest.add(key);
    if (newest.isFull) this.#extend(newest.bits);
    return true;
  }

  /** A small filter beside large ones would be full at once, and pass every key. */
  #extend(newest: number): void {
    const free = this.#sizes.maxBits - this.#bits;
    if (free >= newest)
      this.#filters.push(new BloomFilter(Math.min(newest * GROWTH, 2 ** Math.floor(Math.log2(free)))));
  }

  #bitsFor(rows: number): number {
    let { firstBits: bits } = this.#sizes;
    while (bits < Math.min(rows * MIN_BITS_PER_KEY, this.#sizes.maxBits)) bits *= GROWTH;
    return Math.min(bits, this.#sizes.maxBits);
  }
}

class BloomFilter {
  readonly bits: number;
  readonly #words: Uint32Array;
  readonly #mask: number;
  #keys = 0;

  constructor(bits: number) {
    this.bits = bits;
    this.#words = new Uint32Array(bits / 32);
    this.#mask = bits - 1;
  }

  get isFull(): boolean {
    return this.#keys * MIN_BITS_PER_KEY > this.bits;
  }

  /** Of a key that it does not have. */
  add(key: number): void {
    const step = stepOf(key);
    for (let probe = 0, bit = key | 0; probe < PROBES; probe++, bit = (bit + step) | 0) {
      const at = (bit & this.#mask) >>> 0;
      this.#words[at >>> 5]! |= 1 << (at & 31);
    }
    this.#keys++;
  }

  mayHave(key: number): boolean {
    const step = stepOf(key);
    for (let probe = 0, bit = key | 0; probe < PROBES; probe++, bit = (bit + step) | 0) {
      const at = (bit & this.#mask) >>> 0;
      if ((this.#words[at >>> 5]! & (1 << (at & 31))) === 0) return false;
    }
    return true;
  }
}

/** Keys are 52 uniform bits: the lower ones select the first position, the upper ones the step. */
function stepOf(key: number): number {
  return Math.floor(key / 0x100000000) * 4097 + 1;
}

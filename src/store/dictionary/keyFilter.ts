import type { Reader } from "../engine/database.ts";

const PROBES = 3;

/** Below this ratio a larger filter is built; at it, under 1 in 100 unknown keys passes. */
const MIN_BITS_PER_KEY = 16;
const GROWTH = 4;
const LEARN_BATCH_SIZE = 10_000;

interface FilterSizes {
  /** Powers of two of at most 2^32. */
  readonly firstBits: number;
  readonly maxBits: number;
}

/** From 2 MiB, for a million keys, to 256 MiB, for 134 million. */
export const FILTER_SIZES: FilterSizes = { firstBits: 2 ** 24, maxBits: 2 ** 31 };

export interface KeyPage<Cursor> {
  readonly keys: readonly number[];
  readonly last: Cursor | undefined;
}

/** Fewer than `limit` keys are the last. */
export type ReadKeys<Cursor> = (db: Reader, after: Cursor | undefined, limit: number) => Promise<KeyPage<Cursor>>;

/**
 * Bloom filter over a table's keys, so that new values, which are most unknown ones, need no lookup. An existing table
 * is added in steps; until then every key may exist. When the filter is too small, a larger one is built the same way
 * and replaces it. Deleted keys stay, which only costs a lookup.
 */
export class KeyFilter<Cursor> {
  readonly #readKeys: ReadKeys<Cursor>;
  readonly #sizes: FilterSizes;
  #complete: BloomFilter | undefined;
  #growing: BloomFilter | undefined;
  #cursor: Cursor | undefined;
  #addedSince = 0;
  #hasBegun = false;

  constructor(readKeys: ReadKeys<Cursor>, sizes = FILTER_SIZES) {
    this.#readKeys = readKeys;
    this.#sizes = sizes;
    this.#growing = new BloomFilter(sizes.firstBits);
  }

  get bytes(): number {
    return ((this.#complete?.bits ?? 0) + (this.#growing?.bits ?? 0)) / 8;
  }

  add(key: number): void {
    this.#addedSince++;
    this.#growing?.add(key);
    this.#complete?.add(key);
  }

  mayHave(key: number): boolean {
    return this.#complete?.mayHave(key) ?? true;
  }

  /** Adds more existing keys; `rows` is an upper bound of their number. */
  async learn(db: Reader, rows = 0): Promise<void> {
    if (!this.#hasBegun) this.#grow(this.#bitsFor(rows));
    this.#hasBegun = true;
    const growing = this.#growing;
    if (growing === undefined) return;
    // New keys must not arrive faster than old ones are added.
    const limit = LEARN_BATCH_SIZE + 2 * this.#addedSince;
    this.#addedSince = 0;
    const { keys, last } = await this.#readKeys(db, this.#cursor, limit);
    for (const key of keys) growing.add(key);
    this.#cursor = last;
    if (keys.length >= limit) return;
    this.#complete = growing;
    this.#growing = undefined;
  }

  /** All added keys are in the table now. */
  flushed(): void {
    const newest = this.#growing ?? this.#complete!;
    if (newest.isFull) this.#grow(newest.bits * GROWTH);
  }

  #grow(bits: number): void {
    const max = Math.min(bits, this.#sizes.maxBits);
    if ((this.#growing ?? this.#complete!).bits >= max) return;
    // Keys added before are read with the table, in steps.
    this.#addedSince = 0;
    this.#growing = new BloomFilter(max);
    this.#cursor = undefined;
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

  add(key: number): void {
    const step = stepOf(key);
    let isNew = 0;
    for (let probe = 0, bit = key | 0; probe < PROBES; probe++, bit = (bit + step) | 0) {
      const at = (bit & this.#mask) >>> 0;
      const word = this.#words[at >>> 5]!;
      isNew |= ~word & (1 << (at & 31));
      this.#words[at >>> 5] = word | (1 << (at & 31));
    }
    if (isNew !== 0) this.#keys++;
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

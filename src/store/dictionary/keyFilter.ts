import type { Reader } from "../engine/database.ts";

const PROBES = 3;

/** With fewer bits for each key a filter gives way to a larger one: until then under one in 100 unknown keys passes for known. */
const MIN_BITS_PER_KEY = 16;
const GROWTH = 4;
/** Keys that it is told at once of those that were there before. */
const LEARN_BATCH_SIZE = 10_000;

export interface FilterSizes {
  /** Powers of two of at most 2^32. */
  readonly firstBits: number;
  readonly mostBits: number;
}

/** Up to 256 MiB, which serve 134 million keys as well as fewer. */
export const FILTER_SIZES: FilterSizes = { firstBits: 2 ** 26, mostBits: 2 ** 31 };

/** Some of the keys of a table, those that come after a place in it. */
export interface KeyPage<Cursor> {
  readonly keys: readonly number[];
  /** The place of the last of them. */
  readonly last: Cursor | undefined;
}

export type ReadKeys<Cursor> = (db: Reader, after: Cursor | undefined, limit: number) => Promise<KeyPage<Cursor>>;

/**
 * Tells keys that are surely not in a table from those that may be, so that new values, which are most of the unknown ones,
 * need no look at the database. It is told the keys of an existing table a part at a time, and until then any key may be
 * there. When it has become too small a larger one is told all of them in the same way, and takes its place. Keys that
 * leave the table stay, which costs a look and nothing else.
 */
export class KeyFilter<Cursor> {
  readonly #readKeys: ReadKeys<Cursor>;
  readonly #sizes: FilterSizes;
  #complete: BloomFilter | undefined;
  #growing: BloomFilter | undefined;
  /** How far the growing one has been told. */
  #told: Cursor | undefined;
  #addedSince = 0;
  #hasBegun = false;

  constructor(readKeys: ReadKeys<Cursor>, sizes = FILTER_SIZES) {
    this.#readKeys = readKeys;
    this.#sizes = sizes;
    this.#growing = new BloomFilter(sizes.firstBits);
  }

  /** The memory it takes. */
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

  /** Is told some more of the keys that were there before, where it does not have them; `rows` is how many there may be. */
  async learn(db: Reader, rows = 0): Promise<void> {
    if (!this.#hasBegun) this.#grow(this.#bitsFor(rows));
    this.#hasBegun = true;
    const growing = this.#growing;
    if (growing === undefined) return;
    // Those that are new meanwhile must not come faster than it learns.
    const limit = LEARN_BATCH_SIZE + 2 * this.#addedSince;
    this.#addedSince = 0;
    const { keys, last } = await this.#readKeys(db, this.#told, limit);
    for (const key of keys) growing.add(key);
    this.#told = last;
    if (keys.length === limit) return;
    this.#complete = growing;
    this.#growing = undefined;
  }

  /** All keys that were added are in the table now: a larger filter can be told of them by it, and of none it was not. */
  flushed(): void {
    const newest = this.#growing ?? this.#complete!;
    if (newest.isFull) this.#grow(newest.bits * GROWTH);
  }

  #grow(bits: number): void {
    const most = Math.min(bits, this.#sizes.mostBits);
    if ((this.#growing ?? this.#complete!).bits >= most) return;
    this.#growing = new BloomFilter(most);
    this.#told = undefined;
  }

  #bitsFor(rows: number): number {
    let { firstBits: bits } = this.#sizes;
    while (bits < Math.min(rows * MIN_BITS_PER_KEY, this.#sizes.mostBits)) bits *= GROWTH;
    return Math.min(bits, this.#sizes.mostBits);
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

/** Keys have 52 bits that nobody can choose: the lower ones are the first bit, the upper ones the way to the next. */
function stepOf(key: number): number {
  return Math.floor(key / 0x100000000) * 4097 + 1;
}

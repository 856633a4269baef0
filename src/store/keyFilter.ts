const PROBES = 3;

/**
 * Tells keys that are surely not in a table of a dictionary from those that may be: a Bloom filter, so that new values,
 * which are most of the unknown ones, need no look at the database. It has to be told the keys of an existing table
 * and knows nothing until it has them all. Keys that leave the table stay, which costs a look and nothing else.
 */
export class KeyFilter {
  readonly #bits: Uint32Array;
  readonly #mask: number;
  /** Whether it has all keys that were there before it. */
  isComplete = false;

  /** `bits` is a power of two of at most 2^32. */
  constructor(bits: number) {
    this.#bits = new Uint32Array(bits / 32);
    this.#mask = bits - 1;
  }

  add(key: number): void {
    const step = stepOf(key);
    for (let probe = 0, bit = key | 0; probe < PROBES; probe++, bit = (bit + step) | 0) {
      const at = (bit & this.#mask) >>> 0;
      this.#bits[at >>> 5]! |= 1 << (at & 31);
    }
  }

  mayHave(key: number): boolean {
    if (!this.isComplete) return true;
    const step = stepOf(key);
    for (let probe = 0, bit = key | 0; probe < PROBES; probe++, bit = (bit + step) | 0) {
      const at = (bit & this.#mask) >>> 0;
      if ((this.#bits[at >>> 5]! & (1 << (at & 31))) === 0) return false;
    }
    return true;
  }
}

/** Keys have 52 bits that nobody can choose: the lower ones are the first bit, the upper ones the way to the next. */
function stepOf(key: number): number {
  return Math.floor(key / 0x100000000) * 4097 + 1;
}

const SMALLEST = 512;
const LARGEST = 1 << 14;

/**
 * An arena of zeroed bytes. Separate arrays of over 64 bytes cost ten times as much. A retained slice retains the whole
 * arena.
 */
export class Slab {
  #bytes = new Uint8Array(0);
  #at = 0;

  /** The buffer of the last claim. */
  get bytes(): Uint8Array {
    return this.#bytes;
  }

  /** Allocates an array. */
  take(length: number): Uint8Array {
    if (length > SMALLEST && this.#at + length > this.#bytes.length) return new Uint8Array(length);
    const start = this.claim(length);
    return new Uint8Array(this.#bytes.buffer, start, length);
  }

  /** Allocates and returns an offset into `bytes`, without creating an array. */
  claim(length: number): number {
    if (this.#at + length > this.#bytes.length) {
      const grown = Math.min(Math.max(2 * this.#bytes.length, SMALLEST), LARGEST);
      this.#bytes = new Uint8Array(Math.max(grown, length));
      this.#at = 0;
    }
    const start = this.#at;
    this.#at += length;
    return start;
  }
}

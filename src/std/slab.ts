const SMALLEST = 512;
const LARGEST = 1 << 14;

/**
 * Gives out zeroed bytes of memory that they share: as arrays of their own, many of over 64 bytes cost ten times as much.
 * What is kept of them keeps all of it.
 */
export class Slab {
  #bytes = new Uint8Array(0);
  #at = 0;

  /** The memory that the last bytes were claimed of. */
  get bytes(): Uint8Array {
    return this.#bytes;
  }

  /** As an array. */
  take(length: number): Uint8Array {
    if (length > SMALLEST && this.#at + length > this.#bytes.length) return new Uint8Array(length);
    const start = this.claim(length);
    return new Uint8Array(this.#bytes.buffer, start, length);
  }

  /** As a place in `bytes`: not even an array is made for each. */
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

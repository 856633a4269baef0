const SMALLEST = 512;
const LARGEST = 1 << 14;

/**
 * Gives out zeroed bytes of memory that they share: as arrays of their own, many of over 64 bytes cost ten times as much.
 * What is kept of them keeps all of it.
 */
export class Slab {
  #bytes = new Uint8Array(0);
  #at = 0;

  take(length: number): Uint8Array {
    if (this.#at + length > this.#bytes.length) {
      if (length > SMALLEST) return new Uint8Array(length);
      this.#bytes = new Uint8Array(Math.min(Math.max(2 * this.#bytes.length, SMALLEST), LARGEST));
      this.#at = 0;
    }
    const start = this.#at;
    this.#at += length;
    return new Uint8Array(this.#bytes.buffer, start, length);
  }
}

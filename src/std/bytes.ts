const SMALLEST = 512;
const MAX_SLAB = 1 << 14;

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
      const grown = Math.min(Math.max(2 * this.#bytes.length, SMALLEST), MAX_SLAB);
      this.#bytes = new Uint8Array(Math.max(grown, length));
      this.#at = 0;
    }
    const start = this.#at;
    this.#at += length;
    return start;
  }
}

/**
 * Reference-counted bytes. The memory is freed with the last reference: collecting a megabyte costs more than filling
 * it. Bytes that are never released are left to the garbage collector.
 */
export class SharedBytes {
  readonly bytes: Buffer;
  #readers = 1;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  retain(): this {
    this.#readers++;
    return this;
  }

  release(): void {
    if (--this.#readers === 0) freeMemory(this.bytes);
  }
}

/** Frees the backing memory. Does nothing for a view of a larger buffer. */
export function freeMemory({ buffer, length }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === length) buffer.transfer(0);
}

/**
 * Flattens a rope string. V8 keeps a concatenation as a tree, and JSON.stringify runs at half speed on a record that
 * contains one. Use it for strings that are serialized repeatedly.
 */
export function flatString(text: string): string {
  return Buffer.from(text).toString();
}

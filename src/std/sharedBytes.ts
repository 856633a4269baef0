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

  hold(): this {
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

/**
 * Bytes that several read at one time. Their memory is free as soon as the last of them is done: to leave a megabyte to the
 * garbage collector costs more than to fill it. Who never says that it is done leaves them to the collector after all.
 */
export class SharedBytes {
  readonly bytes: Buffer;
  #readers = 1;

  /** Whoever makes them is the first to read them. */
  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  /** Another reads them from now on. */
  hold(): this {
    this.#readers++;
    return this;
  }

  /** One of those who read them is done. */
  release(): void {
    if (--this.#readers === 0) freeMemory(this.bytes);
  }
}

/** Frees the memory of bytes that nobody else has a view of; a part of something larger is left as it is. */
export function freeMemory({ buffer, length }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === length) buffer.transfer(0);
}

import type { Bytes } from "../encoding/bytes.ts";
import { EMPTY } from "../encoding/bytes.ts";

/** Reads records and fields of a packed block. Fields are views of it. */
export class PackedReader {
  readonly #buffer: ArrayBuffer;
  readonly #words: Uint32Array;
  readonly #numbers: Float64Array;

  constructor(buffer: ArrayBuffer) {
    this.#buffer = buffer;
    this.#words = new Uint32Array(buffer, 0, buffer.byteLength >> 2);
    this.#numbers = new Float64Array(buffer, 0, buffer.byteLength >> 3);
  }

  /** Records are aligned. */
  word(at: number): number {
    return this.#words[at >> 2]!;
  }

  number(at: number): number {
    return this.#numbers[at >> 3]!;
  }

  /** The entries of lists, which are among the fields, are not aligned. */
  get entries(): DataView {
    return new DataView(this.#buffer);
  }

  has(at: number): boolean {
    return this.#words[at >> 2] !== 0;
  }

  fixed(at: number, size: number): Bytes {
    return new Uint8Array(this.#buffer, this.#words[at >> 2], size);
  }

  fixedOrNull(at: number, size: number): Bytes | null {
    const offset = this.#words[at >> 2]!;
    return offset === 0 ? null : new Uint8Array(this.#buffer, offset, size);
  }

  /** A field and its length; none is the number 0 for the callers that ask. */
  slot(at: number): Bytes {
    const length = this.#words[(at >> 2) + 1]!;
    return length === 0 ? EMPTY : new Uint8Array(this.#buffer, this.#words[at >> 2], length);
  }

  bytes(offset: number, length: number): Bytes {
    return length === 0 ? EMPTY : new Uint8Array(this.#buffer, offset, length);
  }
}

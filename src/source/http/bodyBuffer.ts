import { isAscii } from "node:buffer";
import { HttpError } from "./httpHead.ts";

const SMALLEST = 64 << 10;
/** A larger buffer is neither retained nor preallocated from content-length alone. */
const MAX_KEPT = 8 << 20;

/** An empty object takes 2 bytes of JSON and 56 of memory: without this limit, a body could expand thirtyfold. */
export const MAX_VALUES = 4_000_000;

export class BodyBuffer {
  #bytes = Buffer.allocUnsafeSlow(0);
  #length = 0;
  #expected = 0;

  get length(): number {
    return this.#length;
  }

  start(expected: number): void {
    this.#length = 0;
    this.#expected = expected;
    if (expected > 0) this.#reserve(Math.min(expected, MAX_KEPT));
  }

  append(chunk: Buffer, from: number, to: number): void {
    const length = this.#length + to - from;
    if (length > this.#bytes.length) this.#reserve(Math.max(length, this.#expected));
    chunk.copy(this.#bytes, this.#length, from, to);
    this.#length = length;
  }

  /** Decodes the body and recycles the memory. Throws if it has too many JSON values. */
  takeText(): string {
    const body = this.#bytes.subarray(0, this.#length);
    try {
      if (hasTooManyValues(body)) throw new HttpError("too large", "too many values");
      return textOf(body);
    } finally {
      this.#clear();
    }
  }

  /** A copy of the body, otherwise as `takeText`. */
  takeBytes(): Buffer {
    const body = this.#bytes.subarray(0, this.#length);
    try {
      if (hasTooManyValues(body)) throw new HttpError("too large", "too many values");
      const bytes = Buffer.allocUnsafeSlow(body.length);
      body.copy(bytes);
      return bytes;
    } finally {
      this.#clear();
    }
  }

  #clear(): void {
    this.#length = 0;
    if (this.#bytes.length > MAX_KEPT) this.#replace(Buffer.allocUnsafeSlow(0));
  }

  #reserve(size: number): void {
    if (size <= this.#bytes.length) return;
    const isKnown = size === this.#expected && size > MAX_KEPT;
    const capacity = isKnown ? size : Math.max(SMALLEST, 2 ** Math.ceil(Math.log2(size)));
    const bytes = Buffer.allocUnsafeSlow(capacity);
    this.#bytes.copy(bytes, 0, 0, this.#length);
    this.#replace(bytes);
  }

  /** Frees the old buffer at once; otherwise it counts until the next collection. */
  #replace(bytes: Buffer<ArrayBuffer>): void {
    const old = this.#bytes.buffer;
    this.#bytes = bytes;
    old.transfer(0);
  }
}

export function textOf(body: Buffer): string {
  return body.toString(isAscii(body) ? "latin1" : "utf8");
}

const [COMMA, BRACKET, BRACE] = [0x2c, 0x5b, 0x7b];

/** Counts separators; those inside strings are few. */
function hasTooManyValues(body: Buffer): boolean {
  if (body.length <= MAX_VALUES) return false;
  let values = 0;
  for (let at = 0; at < body.length; at++) {
    const byte = body[at]!;
    if (byte === COMMA || byte === BRACE || byte === BRACKET) values++;
  }
  return values > MAX_VALUES;
}

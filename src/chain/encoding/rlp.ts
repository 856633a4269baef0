import type { Bytes } from "./bytes.ts";
import { copyInto } from "./bytes.ts";
import type { Uint } from "./uint.ts";

/**
 * Writes RLP backwards, so that a list's length is known when its header is written and nothing is measured or copied
 * twice. Callers write list items in reverse order.
 */
export class RlpWriter {
  #bytes = new Uint8Array(1 << 14);
  #at = this.#bytes.length;

  get length(): number {
    return this.#bytes.length - this.#at;
  }

  /** Valid until the next write. */
  get written(): Bytes {
    return this.#bytes.subarray(this.#at);
  }

  reset(): void {
    this.#at = this.#bytes.length;
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#bytes[--this.#at] = value;
  }

  raw(bytes: Bytes): void {
    this.#reserve(bytes.length);
    this.#at -= bytes.length;
    copyInto(this.#bytes, bytes, this.#at);
  }

  string(bytes: Bytes): void {
    if (bytes.length === 1 && bytes[0]! < 0x80) {
      this.byte(bytes[0]!);
      return;
    }
    this.raw(bytes);
    this.#header(bytes.length, 0x80);
  }

  /** Frames the bytes written since `start` as a string. */
  closeString(start: number): void {
    const length = this.length - start;
    if (length === 1 && this.#bytes[this.#at]! < 0x80) return;
    this.#header(length, 0x80);
  }

  /** Frames the bytes written since `start` as a list. */
  closeList(start: number): void {
    this.#header(this.length - start, 0xc0);
  }

  list<T>(items: readonly T[], write: (item: T, writer: RlpWriter) => void): void {
    const start = this.length;
    for (let i = items.length - 1; i >= 0; i--) write(items[i]!, this);
    this.closeList(start);
  }

  uint(value: Uint): void {
    this.string(value);
  }

  number(value: number): void {
    if (value < 0x80) {
      this.byte(value === 0 ? 0x80 : value);
      return;
    }
    this.#header(this.#bigEndian(value), 0x80);
  }

  #header(length: number, base: number): void {
    if (length < 56) {
      this.byte(base + length);
      return;
    }
    this.byte(base + 55 + this.#bigEndian(length));
  }

  #bigEndian(value: number): number {
    let size = 0;
    for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) {
      this.byte(rest % 256);
      size++;
    }
    return size;
  }

  #reserve(size: number): void {
    if (this.#at >= size) return;
    const written = this.written;
    const grown = new Uint8Array(Math.max(this.#bytes.length * 2, (written.length + size) * 2));
    grown.set(written, grown.length - written.length);
    this.#at = grown.length - written.length;
    this.#bytes = grown;
  }
}

import type { Bytes } from "../../chain/encoding/bytes.ts";
import { copyInto, EMPTY } from "../../chain/encoding/bytes.ts";
import type { Extra, ExtraFields } from "../../chain/encoding/extra.ts";
import { ChainError } from "../../chain/error.ts";
import type { ExactSum } from "../../std/numbers.ts";
import { normalise } from "../../std/numbers.ts";
import { isObject } from "../../std/values.ts";

/** Varints, length-prefixed bytes, and words without leading zeros. */
export class ByteWriter {
  #bytes: Uint8Array;
  #at = 0;

  constructor(size = 1 << 12) {
    this.#bytes = new Uint8Array(size);
  }

  get length(): number {
    return this.#at;
  }

  /** Valid until the writer is reset. */
  view(from = 0, to = this.#at): Bytes {
    return new Uint8Array(this.#bytes.buffer, from, to - from);
  }

  copy(from = 0, to = this.#at): Bytes {
    return this.#bytes.slice(from, to);
  }

  reset(length = 0): void {
    this.#at = length;
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#at++] = value;
  }

  varint(value: number): void {
    this.#reserve(8);
    let rest = value;
    while (rest > 0x7fffffff) {
      this.#bytes[this.#at++] = (rest % 128) | 0x80;
      rest = Math.floor(rest / 128);
    }
    while (rest > 127) {
      this.#bytes[this.#at++] = (rest & 127) | 0x80;
      rest >>>= 7;
    }
    this.#bytes[this.#at++] = rest;
  }

  sum(value: ExactSum): void {
    if (typeof value === "number") {
      this.varint(value);
      return;
    }
    let rest = value;
    for (; rest > 127n; rest >>= 7n) this.byte(Number(rest & 127n) | 0x80);
    this.byte(Number(rest));
  }

  raw(bytes: Bytes): void {
    this.#reserve(bytes.length);
    copyInto(this.#bytes, bytes, this.#at);
    this.#at += bytes.length;
  }

  string(bytes: Bytes): void {
    this.varint(bytes.length);
    this.raw(bytes);
  }

  json(value: unknown): void {
    this.string(Buffer.from(JSON.stringify(value)));
  }

  /** Unknown fields, and the number that was dropped. */
  extra({ extra, omittedFields }: ExtraFields): void {
    this.json(omittedFields === undefined ? extra : [extra, omittedFields]);
  }

  /** 32 bytes as length and significant bytes. */
  word(bytes: Bytes, at: number): void {
    const end = at + 32;
    let start = at;
    while (start < end && bytes[start] === 0) start++;
    this.#reserve(33);
    this.#bytes[this.#at++] = end - start;
    while (start < end) this.#bytes[this.#at++] = bytes[start++]!;
  }

  /** Back-patches a four-byte length. */
  patch(at: number, value: number): void {
    new DataView(this.#bytes.buffer).setUint32(at, value);
  }

  #reserve(size: number): void {
    if (this.#at + size <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(this.#bytes.length * 2, this.#at + size));
    grown.set(this.#bytes.subarray(0, this.#at));
    this.#bytes = grown;
  }
}

/** Weight of the last varint byte of a 53-bit number. */
const LAST_UNIT = 2 ** 49;
const SMALL_BITS = 28;
/** 2^126 exceeds any sum of a chain. */
const MAX_SUM_LENGTH = 18;

/** Bytes of an exact number. */
const MAX_NUMBER_LENGTH = 6;

/** Throws only `store_corrupt`. */
export class ByteReader {
  readonly #bytes: Bytes;
  readonly #end: number;
  #at: number;

  constructor(bytes: Bytes, at = 0, end?: number) {
    if (!(bytes instanceof Uint8Array)) throw corrupt("a stored row is no bytes");
    this.#bytes = bytes;
    this.#at = at;
    this.#end = end ?? bytes.length;
  }

  get done(): boolean {
    return this.#at >= this.#end;
  }

  get bytes(): Bytes {
    return this.#bytes;
  }

  get at(): number {
    return this.#at;
  }

  byte(): number {
    return this.#next();
  }

  varint(): number {
    // Integer arithmetic while possible, since most values are small.
    let small = 0;
    for (let shift = 0; shift < SMALL_BITS; shift += 7) {
      const byte = this.#next();
      small |= (byte & 127) << shift;
      if (byte < 128) return small;
    }
    return this.#longVarint(small);
  }

  #longVarint(small: number): number {
    let value = small;
    let unit = 2 ** SMALL_BITS;
    for (;;) {
      const byte = this.#next();
      value += (byte & 127) * unit;
      if (byte < 128) break;
      unit *= 128;
      if (unit > LAST_UNIT) throw corrupt("a stored row has a number that is too large");
    }
    if (value > Number.MAX_SAFE_INTEGER) throw corrupt("a stored row has a number that is too large");
    return value;
  }

  sum(): ExactSum {
    const start = this.#at;
    let value = 0;
    for (let unit = 1; unit <= LAST_UNIT; unit *= 128) {
      const byte = this.#next();
      value += (byte & 127) * unit;
      if (byte < 128 && value <= Number.MAX_SAFE_INTEGER) return value;
      if (byte < 128) break;
    }
    this.#at = start;
    return this.#longSum();
  }

  #longSum(): ExactSum {
    let value = 0n;
    for (let place = 0; place < MAX_SUM_LENGTH; place++) {
      const byte = this.#next();
      value += BigInt(byte & 127) << BigInt(7 * place);
      if (byte < 128) return normalise(value);
    }
    throw corrupt("a stored row has a sum that is too large");
  }

  raw(length: number): Bytes {
    const start = this.#bytes.byteOffset + this.#at;
    this.skip(length);
    return new Uint8Array(this.#bytes.buffer, start, length);
  }

  skip(length: number): void {
    const end = this.#at + length;
    if (end > this.#end || length < 0) throw truncated();
    this.#at = end;
  }

  string(): Bytes {
    const length = this.varint();
    return length === 0 ? EMPTY : this.raw(length);
  }

  skipString(): void {
    this.skip(this.varint());
  }

  /** A number if exact, else bytes. */
  integer(): number | Bytes {
    const length = this.varint();
    if (length > MAX_NUMBER_LENGTH) return this.raw(length);
    const start = this.#at;
    this.skip(length);
    let value = 0;
    for (let at = start; at < this.#at; at++) value = value * 256 + this.#bytes[at]!;
    return value;
  }

  rest(): Bytes {
    return this.raw(this.#end - this.#at);
  }

  extra(): ExtraFields {
    const text = Buffer.from(this.string()).toString();
    try {
      const read: unknown = JSON.parse(text);
      if (isObject(read)) return { extra: read };
      const [extra, omittedFields] = Array.isArray(read) ? (read as unknown[]) : [];
      if (isObject(extra) && typeof omittedFields === "number") return { extra: extra as Extra, omittedFields };
    } catch (error) {
      throw new ChainError("store_corrupt", "a stored row has a text that is no JSON", { cause: error });
    }
    throw corrupt("a stored row has JSON that is no object of fields");
  }

  many<T>(read: () => T): T[] {
    const items: T[] = [];
    for (let left = this.varint(); left > 0; left--) items.push(read());
    return items;
  }

  /** Into 32 zeroed bytes at `at`. */
  word(target: Bytes, at: number): void {
    const length = this.#next();
    if (length > 32) throw corrupt("a stored row has a word of over 32 bytes");
    this.copy(target, at + 32 - length, length);
  }

  /** At most 32 bytes. */
  copy(target: Bytes, at: number, length: number): void {
    const start = this.#at;
    this.skip(length);
    for (let i = 0; i < length; i++) target[at + i] = this.#bytes[start + i]!;
  }

  #next(): number {
    if (this.#at >= this.#end) throw truncated();
    return this.#bytes[this.#at++]!;
  }
}

const DIGIT_VALUES = new Uint8Array(128);
for (const [value, digit] of [..."0123456789abcdef"].entries()) {
  for (const one of [digit, digit.toUpperCase()]) DIGIT_VALUES[one.charCodeAt(0)] = value;
}

export function fillFromDigits(target: Bytes, at: number, digits: string): void {
  for (let i = 0; 2 * i < digits.length; i++) {
    target[at + i] = (DIGIT_VALUES[digits.charCodeAt(2 * i)]! << 4) | DIGIT_VALUES[digits.charCodeAt(2 * i + 1)]!;
  }
}

const MAX_SHORT_LENGTH = 64;
const digitBuffer = Buffer.alloc(MAX_SHORT_LENGTH);

/** Short values get their own memory, since they may be cached. */
export function fromDigits(digits: string): Bytes {
  if (digits.length > 2 * MAX_SHORT_LENGTH) return Buffer.from(digits, "hex");
  return Uint8Array.prototype.slice.call(digitBuffer, 0, digitBuffer.write(digits, "hex"));
}

function truncated(): ChainError {
  return corrupt("a stored row ends too early");
}

export function corrupt(message: string): ChainError {
  return new ChainError("store_corrupt", message);
}

export function asBytes(value: unknown): Bytes {
  if (value instanceof Uint8Array) return value;
  throw corrupt("a stored value is no bytes");
}

/** Throws `store_corrupt` if the value is missing. */
export function mustHave<T>(value: T | undefined | null, what: string): T {
  if (value === undefined || value === null) throw corrupt(`${what} is missing`);
  return value;
}

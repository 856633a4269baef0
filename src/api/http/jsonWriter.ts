import type { Bytes } from "../../chain/encoding/bytes.ts";
import { copyInto } from "../../chain/encoding/bytes.ts";
import type { Uint } from "../../chain/encoding/uint.ts";
import { isSafeUint, uintToBigInt, uintToNumber } from "../../chain/encoding/uint.ts";

const [SPACE, QUOTE, ZERO, BACKSLASH, LETTER_X, TILDE] = [0x20, 0x22, 0x30, 0x5c, 0x78, 0x7e];

/** The digits of every byte, the first in the lower half. */
const HEX_PAIRS = Uint16Array.from({ length: 256 }, (_, byte) => {
  const [high, low] = Buffer.from(byte.toString(16).padStart(2, "0"));
  return high! | (low! << 8);
});
const HEX_DIGITS = Buffer.from("0123456789abcdef");

/** Decimal digits of one number, filled from the end. A number of 256 bits has 78. */
const digits = new Uint8Array(81);
const limbs = new Uint16Array(16);
const GROUP = 1e9;
const GROUP_DIGITS = 9;
/** Up to it the processor divides integers. */
const MOST_INT = 0x7fffffff;

/** The names of a record's fields as they stand before their values: with the brace, or the comma, that goes before. */
export function recordKeys<K extends string>(...names: readonly K[]): Readonly<Record<K, Bytes>> {
  const entries = names.map((name, at) => [name, Buffer.from(`${at === 0 ? "{" : ","}${JSON.stringify(name)}:`)]);
  return Object.fromEntries(entries) as Record<K, Bytes>;
}

/**
 * Writes JSON as the bytes that are sent. Of long lists, objects and texts of every value are most of the cost; nothing is
 * made here but the bytes.
 */
export class JsonWriter {
  #bytes: Buffer;
  #at = 0;

  constructor(size: number) {
    this.#bytes = Buffer.allocUnsafe(size);
  }

  /** What was written. */
  bytes(): Buffer {
    return this.#bytes.subarray(0, this.#at);
  }

  /** JSON that was made before. */
  raw(json: Bytes): this {
    this.#reserve(json.length);
    copyInto(this.#bytes, json, this.#at);
    this.#at += json.length;
    return this;
  }

  byte(character: number): this {
    this.#reserve(1);
    this.#bytes[this.#at++] = character;
    return this;
  }

  string(text: string): this {
    this.#reserve(text.length + 2);
    const target = this.#bytes;
    let at = this.#at;
    target[at++] = QUOTE;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code < SPACE || code > TILDE || code === QUOTE || code === BACKSLASH) {
        return this.raw(Buffer.from(JSON.stringify(text)));
      }
      target[at++] = code;
    }
    target[at++] = QUOTE;
    this.#at = at;
    return this;
  }

  /** All bytes from one place to another, as digits after `0x`. */
  hex(value: Bytes, from = 0, to = value.length): this {
    this.#open(2 * (to - from));
    const target = this.#bytes;
    let at = this.#at;
    for (let i = from; i < to; i++) {
      const pair = HEX_PAIRS[value[i]!]!;
      target[at++] = pair & 0xff;
      target[at++] = pair >> 8;
    }
    this.#close(at);
    return this;
  }

  /** A JSON-RPC quantity. */
  quantity(value: number): this {
    let size = 1;
    for (let rest = value; rest >= 16; rest /= 16) size++;
    this.#open(size);
    const end = this.#at + size;
    let at = end;
    let rest = value;
    for (; rest > MOST_INT; rest = Math.floor(rest / 16)) this.#bytes[--at] = HEX_DIGITS[rest % 16]!;
    for (; at > this.#at; rest >>= 4) this.#bytes[--at] = HEX_DIGITS[rest & 15]!;
    this.#close(end);
    return this;
  }

  /** An integer without leading zeros, as a JSON-RPC quantity. */
  quantityOf(value: Uint): this {
    if (value.length === 0) return this.quantity(0);
    const start = this.#at;
    this.hex(value);
    if (this.#bytes[start + 3] !== ZERO) return this;
    this.#bytes.copyWithin(start + 3, start + 4, this.#at);
    this.#at--;
    return this;
  }

  /** An integer of any size as a text of decimal digits. */
  decimal(value: number | Uint): this {
    if (typeof value === "number") return this.#decimal(fillDigits(digits.length, value, 1));
    if (isSafeUint(value)) return this.decimal(uintToNumber(value));
    if (value.length > 2 * limbs.length) return this.string(uintToBigInt(value).toString());
    return this.#decimal(fillLongDigits(value));
  }

  #decimal(from: number): this {
    const length = digits.length - from;
    this.#reserve(length + 2);
    const target = this.#bytes;
    let at = this.#at;
    target[at++] = QUOTE;
    for (let i = from; i < digits.length; i++) target[at++] = digits[i]!;
    target[at++] = QUOTE;
    this.#at = at;
    return this;
  }

  #open(length: number): void {
    this.#reserve(length + 4);
    this.#bytes[this.#at++] = QUOTE;
    this.#bytes[this.#at++] = ZERO;
    this.#bytes[this.#at++] = LETTER_X;
  }

  #close(at: number): void {
    this.#bytes[at] = QUOTE;
    this.#at = at + 1;
  }

  #reserve(length: number): void {
    if (this.#at + length <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafe(Math.max(2 * this.#bytes.length, this.#at + length));
    grown.set(this.bytes());
    this.#bytes = grown;
  }
}

/** Fills in a number before `end`, with so many digits at least; answers where it begins. */
function fillDigits(end: number, value: number, least: number): number {
  let at = end;
  let rest = value;
  for (; rest > MOST_INT; rest = Math.floor(rest / 10)) digits[--at] = ZERO + (rest % 10);
  while (rest > 0 || end - at < least) {
    const above = (rest / 10) | 0;
    digits[--at] = ZERO + (rest - 10 * above);
    rest = above;
  }
  return at;
}

/** Divides by a thousand million until nothing is left. What a remainder and a limb make is exact as a number. */
function fillLongDigits(value: Uint): number {
  const size = (value.length + 1) >> 1;
  const odd = value.length & 1;
  for (let i = 0; i < size; i++) {
    const low = 2 * i + 1 - odd;
    limbs[i] = ((low > 0 ? value[low - 1]! : 0) << 8) | value[low]!;
  }
  let at = digits.length;
  for (let first = 0; first < size; ) {
    let remainder = 0;
    for (let i = first; i < size; i++) {
      const dividend = remainder * 65536 + limbs[i]!;
      const quotient = Math.floor(dividend / GROUP);
      limbs[i] = quotient;
      remainder = dividend - quotient * GROUP;
    }
    while (first < size && limbs[first] === 0) first++;
    at = fillDigits(at, remainder, first < size ? GROUP_DIGITS : 1);
  }
  return at;
}

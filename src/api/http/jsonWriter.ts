import type { Bytes } from "../../chain/encoding/bytes.ts";
import { copyInto } from "../../chain/encoding/bytes.ts";
import type { Uint } from "../../chain/encoding/uint.ts";
import { isSafeUint, uintToBigInt, uintToNumber } from "../../chain/encoding/uint.ts";
import { fillGroups, GROUP, groups, MAX_DIVIDED_LENGTH } from "./decimalGroups.ts";

const [SPACE, QUOTE, ZERO, BACKSLASH, TILDE] = [0x20, 0x22, 0x30, 0x5c, 0x7e];

/** Four characters as an integer, first character in the lowest byte. */
const word = (characters: string) => Buffer.from(characters.padEnd(4)).readInt32LE();

/** Hex digits of every byte. */
const HEX_PAIRS = Int32Array.from({ length: 256 }, (_, byte) => word(byte.toString(16).padStart(2, "0")) & 0xffff);
const HEX_DIGITS = Buffer.from("0123456789abcdef");
const QUAD = 1e4;
/** Four digits with leading zeros. */
const QUADS = Int32Array.from({ length: QUAD }, (_, number) => word(String(number).padStart(4, "0")));
const BEFORE_HEX = word('"0x');

/** Integer division is fast up to here. */
const MAX_INT = 0x7fffffff;
/** Digits of an exact number. */
const MAX_DIGITS = 16;
/** Word writes may overrun by this much. */
const BEYOND = 4;

/** Pre-encoded JSON. */
interface Fragment {
  readonly length: number;
  readonly words: Int32Array;
}

export function fragment(json: string): Fragment {
  const { length } = Buffer.from(json);
  const bytes = new Uint8Array(Math.ceil(length / 4) * 4);
  bytes.set(Buffer.from(json));
  return { length, words: new Int32Array(bytes.buffer) };
}

/** Keys with the brace or comma before them. */
export function recordKeys<K extends string>(...names: readonly K[]): Readonly<Record<K, Fragment>> {
  const entries = names.map((name, at) => [name, fragment(`${at === 0 ? "{" : ","}${JSON.stringify(name)}:`)]);
  return Object.fromEntries(entries) as Record<K, Fragment>;
}

/** Writes JSON directly as bytes. In long lists, objects and strings per value would dominate the cost. */
export class JsonWriter {
  #bytes: Buffer;
  #view: DataView;
  #at = 0;

  constructor(size: number) {
    this.#bytes = Buffer.allocUnsafe(size + BEYOND);
    this.#view = viewOf(this.#bytes);
  }

  bytes(): Buffer {
    return this.#bytes.subarray(0, this.#at);
  }

  fragment({ length, words }: Fragment): this {
    this.#reserve(length);
    const view = this.#view;
    const at = this.#at;
    for (let i = 0; i < words.length; i++) view.setInt32(at + 4 * i, words[i]!, true);
    this.#at = at + length;
    return this;
  }

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

  /** Bytes [from, to) as a hex string. */
  hex(value: Bytes, from = 0, to = value.length): this {
    this.#open(2 * (to - from));
    const view = this.#view;
    let at = this.#at;
    let i = from;
    for (; i + 1 < to; i += 2, at += 4) {
      view.setInt32(at, HEX_PAIRS[value[i]!]! | (HEX_PAIRS[value[i + 1]!]! << 16), true);
    }
    if (i < to) view.setInt16(at, HEX_PAIRS[value[i]!]!, true);
    this.#close(at + 2 * (to - i));
    return this;
  }

  quantity(value: number | Uint): this {
    return typeof value === "number" ? this.#quantity(value) : this.#quantityOf(value);
  }

  #quantity(value: number): this {
    let size = value > MAX_INT ? 1 : (35 - Math.clz32(value | 1)) >> 2;
    if (value > MAX_INT) for (let rest = value; rest >= 16; rest /= 16) size++;
    this.#open(size);
    const end = this.#at + size;
    let at = end;
    let rest = value;
    for (; rest > MAX_INT; rest = Math.floor(rest / 16)) this.#bytes[--at] = HEX_DIGITS[rest % 16]!;
    for (; at > this.#at; rest >>= 4) this.#bytes[--at] = HEX_DIGITS[rest & 15]!;
    this.#close(end);
    return this;
  }

  #quantityOf(value: Uint): this {
    if (value.length === 0) return this.#quantity(0);
    const start = this.#at;
    this.hex(value);
    if (this.#bytes[start + 3] !== ZERO) return this;
    this.#bytes.copyWithin(start + 3, start + 4, this.#at);
    this.#at--;
    return this;
  }

  /** Decimal string of any size. */
  decimal(value: number | Uint): this {
    if (typeof value === "number") return this.#number(value);
    if (isSafeUint(value)) return this.#number(uintToNumber(value));
    if (value.length > MAX_DIVIDED_LENGTH) return this.string(uintToBigInt(value).toString());
    return this.#longNumber(fillGroups(value));
  }

  #number(value: number): this {
    this.#reserve(MAX_DIGITS + 2);
    const view = this.#view;
    let at = this.#at;
    view.setInt8(at++, QUOTE);
    if (value < QUAD) at = writeQuad(view, at, value);
    else if (value < GROUP) at = writeGroup(view, at, value);
    else {
      const above = Math.floor(value / GROUP);
      at = writeGroup(view, at, above);
      at = writeWholeGroup(view, at, value - above * GROUP);
    }
    view.setInt8(at, QUOTE);
    this.#at = at + 1;
    return this;
  }

  #longNumber(count: number): this {
    this.#reserve(8 * count + 2);
    const view = this.#view;
    let at = this.#at;
    view.setInt8(at++, QUOTE);
    at = writeGroup(view, at, groups[count - 1]!);
    for (let group = count - 2; group >= 0; group--) at = writeWholeGroup(view, at, groups[group]!);
    view.setInt8(at, QUOTE);
    this.#at = at + 1;
    return this;
  }

  #open(length: number): void {
    this.#reserve(length + 4);
    this.#view.setInt32(this.#at, BEFORE_HEX, true);
    this.#at += 3;
  }

  #close(at: number): void {
    this.#bytes[at] = QUOTE;
    this.#at = at + 1;
  }

  #reserve(length: number): void {
    if (this.#at + length + BEYOND > this.#bytes.length) this.#grow(length);
  }

  #grow(length: number): void {
    const grown = Buffer.allocUnsafe(Math.max(2 * this.#bytes.length, this.#at + length + BEYOND));
    grown.set(this.bytes());
    this.#bytes = grown;
    this.#view = viewOf(grown);
  }
}

const viewOf = ({ buffer, byteOffset, length }: Bytes) => new DataView(buffer, byteOffset, length);

/** Up to four digits; returns the end. */
function writeQuad(view: DataView, at: number, value: number): number {
  const zeros = value >= 1000 ? 0 : value >= 100 ? 1 : value >= 10 ? 2 : 3;
  view.setInt32(at, QUADS[value]! >>> (8 * zeros), true);
  return at + 4 - zeros;
}

/** Up to eight digits. */
function writeGroup(view: DataView, at: number, value: number): number {
  if (value < QUAD) return writeQuad(view, at, value);
  const above = (value / QUAD) | 0;
  const next = writeQuad(view, at, above);
  view.setInt32(next, QUADS[value - above * QUAD]!, true);
  return next + 4;
}

/** Exactly eight digits. */
function writeWholeGroup(view: DataView, at: number, value: number): number {
  const above = (value / QUAD) | 0;
  view.setInt32(at, QUADS[above]!, true);
  view.setInt32(at + 4, QUADS[value - above * QUAD]!, true);
  return at + 8;
}

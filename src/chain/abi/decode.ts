import type { Bytes } from "../encoding/bytes.ts";
import { uintToBigInt } from "../encoding/uint.ts";
import type { AbiType } from "./type.ts";
import type { AbiValue } from "./value.ts";
import { readSize, WORD } from "./word.ts";

/**
 * Strict decoding: returns values only if they encode to exactly these bytes. Every tail must begin where the previous
 * one ended, so each byte is read once and the work is linear in the data, whatever the offsets say.
 */
export function decodeParameters(types: readonly AbiType[], data: Bytes): readonly AbiValue[] | undefined {
  const decoded = decodeLeading(types, data);
  return decoded?.end === data.length ? decoded.values : undefined;
}

/** Like `decodeParameters`, but data may follow the values. */
export function decodeLeading(
  types: readonly AbiType[],
  data: Bytes,
): { readonly values: readonly AbiValue[]; readonly end: number } | undefined {
  const decoder = new Decoder(data, (type, at) => decodeWord(type, data.subarray(at, at + WORD)));
  const values = decoder.sequence(types, types.length, 0);
  return values && { values, end: decoder.end };
}

/** Like `decodeLeading`, without building the values. */
export function findEnd(types: readonly AbiType[], data: Bytes, from: number): { readonly end: number } | undefined {
  const decoder = new Decoder(data, (type, at) => isWordOf(type, data, at) || undefined);
  return decoder.sequence(types, types.length, from) && { end: decoder.end };
}

export function decodeWord(type: AbiType, word: Bytes): AbiValue | undefined {
  if (!isWordOf(type, word, 0)) return undefined;
  switch (type.kind) {
    case "uint":
      return uintToBigInt(word);
    case "int":
      return decodeInt(type.bits, word);
    case "address":
      return word.subarray(12);
    case "bool":
      return word[31] === 1;
    case "fixedBytes":
      return word.subarray(0, type.length);
    default:
      return undefined;
  }
}

function isWordOf(type: AbiType, data: Bytes, at: number): boolean {
  switch (type.kind) {
    case "uint":
      return isFilled(data, at, at + WORD - type.bits / 8, 0);
    case "int": {
      const start = at + WORD - type.bits / 8;
      return isFilled(data, at, start, data[start]! >= 0x80 ? 0xff : 0);
    }
    case "address":
      return isFilled(data, at, at + 12, 0);
    case "bool":
      return isFilled(data, at, at + 31, 0) && data[at + 31]! <= 1;
    case "fixedBytes":
      return isFilled(data, at + type.length, at + WORD, 0);
    default:
      return false;
  }
}

function isFilled(bytes: Bytes, from: number, to: number, byte: number): boolean {
  for (let i = from; i < to; i++) if (bytes[i] !== byte) return false;
  return true;
}

function decodeInt(bits: number, word: Bytes): bigint {
  const start = WORD - bits / 8;
  const value = uintToBigInt(word.subarray(start));
  return word[start]! >= 0x80 ? value - (1n << BigInt(bits)) : value;
}

class Decoder {
  readonly #data: Bytes;
  readonly #readWord: (type: AbiType, at: number) => AbiValue | undefined;
  /** End of the bytes read so far, where the next tail must begin. */
  #end = 0;

  constructor(data: Bytes, readWord: (type: AbiType, at: number) => AbiValue | undefined) {
    this.#data = data;
    this.#readWord = readWord;
  }

  get end(): number {
    return this.#end;
  }

  /** Decodes `count` values with their head at `base`. A single type applies to all of them. */
  sequence(types: readonly AbiType[], count: number, base: number): AbiValue[] | undefined {
    const [only] = types.length === 1 ? types : [];
    let size = only === undefined ? 0 : only.size * count;
    if (only === undefined) for (const type of types) size += type.size;
    if (size > this.#data.length - base) return undefined;
    this.#end = Math.max(this.#end, base + size);
    const values = new Array<AbiValue>(count);
    let at = base;
    for (let i = 0; i < count; i++) {
      const type = only ?? types[i]!;
      const value = type.isDynamic ? this.#follow(type, at, base) : this.#inline(type, at);
      if (value === undefined) return undefined;
      values[i] = value;
      at += type.size;
    }
    return values;
  }

  #inline(type: AbiType, at: number): AbiValue | undefined {
    if (type.kind === "array") return this.sequence([type.item], type.length!, at);
    if (type.kind === "tuple") return this.sequence(type.items, type.items.length, at);
    return this.#readWord(type, at);
  }

  #follow(type: AbiType, at: number, base: number): AbiValue | undefined {
    const start = this.#end;
    if (readSize(this.#data, at) !== start - base) return undefined;
    if (type.kind === "tuple") return this.sequence(type.items, type.items.length, start);
    if (type.kind === "array" && type.length !== undefined) return this.sequence([type.item], type.length, start);
    const length = readSize(this.#data, start);
    if (length === undefined) return undefined;
    if (type.kind === "array") return this.#list(type.item, length, start + WORD);
    return this.#bytes(start + WORD, length);
  }

  #list(item: AbiType, length: number, start: number): AbiValue | undefined {
    this.#end = start;
    return this.sequence([item], length, start);
  }

  #bytes(start: number, length: number): Bytes | undefined {
    const padded = start + Math.ceil(length / WORD) * WORD;
    if (padded > this.#data.length || !isFilled(this.#data, start + length, padded, 0)) return undefined;
    this.#end = padded;
    return this.#data.subarray(start, start + length);
  }
}

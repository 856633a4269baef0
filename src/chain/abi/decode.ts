import type { Bytes } from "../encoding/bytes.ts";
import { uintToBigInt } from "../encoding/uint.ts";
import type { AbiType } from "./type.ts";
import type { AbiValue } from "./value.ts";
import { readSize, WORD } from "./word.ts";

/**
 * The values that encode to exactly these bytes, or undefined where there are none. Every tail has to begin where the
 * one before ended, so each byte is read once, and the work is bounded by the data whatever its offsets and lengths say.
 */
export function decodeParameters(types: readonly AbiType[], data: Bytes): readonly AbiValue[] | undefined {
  const decoded = decodeLeading(types, data);
  return decoded?.end === data.length ? decoded.values : undefined;
}

/** As `decodeParameters`, of data that may go on after the values; tells where they end. */
export function decodeLeading(
  types: readonly AbiType[],
  data: Bytes,
): { readonly values: readonly AbiValue[]; readonly end: number } | undefined {
  const decoder = new Decoder(data);
  const values = decoder.sequence(types, types.length, 0);
  return values && { values, end: decoder.end };
}

/** The value in one word, as topics hold those that are not hashed. */
export function decodeWord(type: AbiType, word: Bytes): AbiValue | undefined {
  switch (type.kind) {
    case "uint":
      return areZeros(word, 0, WORD - type.bits / 8) ? uintToBigInt(word) : undefined;
    case "int":
      return decodeInt(type.bits, word);
    case "address":
      return areZeros(word, 0, 12) ? word.subarray(12) : undefined;
    case "bool":
      return areZeros(word, 0, 31) && word[31]! <= 1 ? word[31] === 1 : undefined;
    case "fixedBytes":
      return areZeros(word, type.length, WORD) ? word.subarray(0, type.length) : undefined;
    default:
      return undefined;
  }
}

function areZeros(bytes: Bytes, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (bytes[i] !== 0) return false;
  return true;
}

function decodeInt(bits: number, word: Bytes): bigint | undefined {
  const size = bits / 8;
  const isNegative = word[WORD - size]! >= 0x80;
  const padding = isNegative ? 0xff : 0;
  for (let i = 0; i < WORD - size; i++) if (word[i] !== padding) return undefined;
  const value = uintToBigInt(word.subarray(WORD - size));
  return isNegative ? value - (1n << BigInt(bits)) : value;
}

class Decoder {
  readonly #data: Bytes;
  /** The end of all that was read, where the next tail has to begin. */
  #end = 0;

  constructor(data: Bytes) {
    this.#data = data;
  }

  get end(): number {
    return this.#end;
  }

  /** Decodes `count` values, the head of which begins at `base`: of these types, or all of the only one. */
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
    return decodeWord(type, this.#data.subarray(at, at + WORD));
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
    if (padded > this.#data.length || !areZeros(this.#data, start + length, padded)) return undefined;
    this.#end = padded;
    return this.#data.subarray(start, start + length);
  }
}

import type { Bytes } from "../encoding/bytes.ts";
import { clip, toHex } from "../encoding/hex.ts";
import { ChainError } from "../error.ts";
import type { AbiType } from "./type.ts";
import { headSize } from "./type.ts";
import type { AbiValue } from "./value.ts";
import { WORD } from "./word.ts";

/** The encoding of these values; throws where one is not of its type. */
export function encodeParameters(types: readonly AbiType[], values: readonly AbiValue[]): Bytes {
  if (types.length !== values.length) {
    throw new ChainError("invalid_argument", `expected ${types.length} values, not ${values.length}`);
  }
  const heads: Bytes[] = [];
  const tails: Bytes[] = [];
  let offset = headSize(types);
  types.forEach((type, i) => {
    const encoded = encodeValue(type, values[i]!);
    if (!type.isDynamic) {
      heads.push(encoded);
      return;
    }
    heads.push(wordOf(BigInt(offset)));
    tails.push(encoded);
    offset += encoded.length;
  });
  return Buffer.concat([...heads, ...tails]);
}

function encodeValue(type: AbiType, value: AbiValue): Bytes {
  switch (type.kind) {
    case "uint":
    case "int":
      return encodeInteger(type, value);
    case "bool":
      return typeof value === "boolean" ? wordOf(value ? 1n : 0n) : misfit(type, value);
    case "address":
      return isBytes(value, 20) ? padded(value, "start") : misfit(type, value);
    case "fixedBytes":
      return isBytes(value, type.length) ? padded(value, "end") : misfit(type, value);
    case "bytes":
    case "string":
      if (!isBytes(value)) return misfit(type, value);
      return Buffer.concat([wordOf(BigInt(value.length)), padded(value, "end")]);
    case "tuple":
      return isList(value) ? encodeParameters(type.items, value) : misfit(type, value);
    case "array":
      return encodeArray(type, value);
  }
}

function encodeInteger(type: AbiType & { kind: "uint" | "int" }, value: AbiValue): Bytes {
  const isSigned = type.kind === "int";
  const isInRange =
    typeof value === "bigint" &&
    (isSigned ? BigInt.asIntN(type.bits, value) : BigInt.asUintN(type.bits, value)) === value;
  return isInRange ? wordOf(BigInt.asUintN(256, value)) : misfit(type, value);
}

function encodeArray(type: AbiType & { kind: "array" }, value: AbiValue): Bytes {
  if (!isList(value) || value.length !== (type.length ?? value.length)) return misfit(type, value);
  const items = encodeParameters(new Array<AbiType>(value.length).fill(type.item), value);
  return type.length === undefined ? Buffer.concat([wordOf(BigInt(value.length)), items]) : items;
}

function wordOf(value: bigint): Bytes {
  return Buffer.from(value.toString(16).padStart(WORD * 2, "0"), "hex");
}

function padded(bytes: Bytes, side: "start" | "end"): Bytes {
  const whole = new Uint8Array(Math.ceil(bytes.length / WORD) * WORD);
  whole.set(bytes, side === "end" ? 0 : whole.length - bytes.length);
  return whole;
}

function isBytes(value: AbiValue, length?: number): value is Bytes {
  return value instanceof Uint8Array && value.length === (length ?? value.length);
}

function isList(value: AbiValue): value is readonly AbiValue[] {
  return Array.isArray(value);
}

function misfit(type: AbiType, value: AbiValue): never {
  const shown = value instanceof Uint8Array ? toHex(value) : String(value);
  throw new ChainError("invalid_argument", `${clip(shown)} is no ${clip(type.text)}`);
}

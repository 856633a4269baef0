import { itemAt } from "../../std/values.ts";
import type { Bytes } from "../encoding/bytes.ts";
import { clip, fromHex, toHex } from "../encoding/hex.ts";
import { ChainError } from "../error.ts";
import type { AbiType } from "./type.ts";
import { headSize } from "./type.ts";
import type { AbiValue } from "./value.ts";
import { WORD } from "./word.ts";

/** ABI values, or literals for them: numbers, bytes and addresses as hex, strings as text. */
export type Encodable = AbiValue | number | string | readonly Encodable[];

/** Throws if a value does not match its type. */
export function encodeParameters(types: readonly AbiType[], values: readonly Encodable[]): Bytes {
  if (types.length !== values.length) {
    throw new ChainError("invalid_argument", `expected ${types.length} values, not ${values.length}`);
  }
  const heads: Bytes[] = [];
  const tails: Bytes[] = [];
  let offset = headSize(types);
  for (const [i, value] of values.entries()) {
    const type = itemAt(types, i);
    const encoded = encodeValue(type, value);
    if (!type.isDynamic) {
      heads.push(encoded);
      continue;
    }
    heads.push(wordOf(BigInt(offset)));
    tails.push(encoded);
    offset += encoded.length;
  }
  return Buffer.concat([...heads, ...tails]);
}

function encodeValue(type: AbiType, value: Encodable): Bytes {
  switch (type.kind) {
    case "uint":
    case "int":
      return encodeInteger(type, value);
    case "bool":
      return typeof value === "boolean" ? wordOf(value ? 1n : 0n) : misfit(type, value);
    case "address":
      return padded(bytesOf(type, value, 20), "start");
    case "fixedBytes":
      return padded(bytesOf(type, value, type.length), "end");
    case "bytes":
    case "string":
      return encodeBytes(bytesOf(type, value));
    case "tuple":
      return isList(value) ? encodeParameters(type.items, value) : misfit(type, value);
    case "array":
      return encodeArray(type, value);
  }
}

function encodeBytes(bytes: Bytes): Bytes {
  return Buffer.concat([wordOf(BigInt(bytes.length)), padded(bytes, "end")]);
}

function encodeInteger(type: AbiType & { kind: "uint" | "int" }, given: Encodable): Bytes {
  const value = typeof given === "number" && Number.isSafeInteger(given) ? BigInt(given) : given;
  const isSigned = type.kind === "int";
  const isInRange =
    typeof value === "bigint" &&
    (isSigned ? BigInt.asIntN(type.bits, value) : BigInt.asUintN(type.bits, value)) === value;
  return isInRange ? wordOf(BigInt.asUintN(256, value)) : misfit(type, value);
}

function encodeArray(type: AbiType & { kind: "array" }, value: Encodable): Bytes {
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

function bytesOf(type: AbiType, value: Encodable, length?: number): Bytes {
  const bytes = typeof value === "string" ? fromText(type, value) : value;
  return bytes instanceof Uint8Array && bytes.length === (length ?? bytes.length) ? bytes : misfit(type, value);
}

function fromText({ kind }: AbiType, text: string): Bytes {
  return kind === "string" ? Buffer.from(text) : fromHex(text);
}

function isList(value: Encodable): value is readonly Encodable[] {
  return Array.isArray(value);
}

function misfit(type: AbiType, value: Encodable): never {
  const shown = value instanceof Uint8Array ? toHex(value) : String(value);
  throw new ChainError("invalid_argument", `${clip(shown)} is no ${clip(type.text)}`);
}

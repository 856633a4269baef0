import type { Hex } from "../chain/encoding/hex.ts";
import { toHex } from "../chain/encoding/hex.ts";
import { keccak256 } from "../chain/hashing/keccak.ts";

/** Addresses and bytes are hex, strings are text, tuples and arrays are lists. */
export type Value = string | bigint | number | boolean | readonly Value[];

/** The input of a call, from a signature such as `transfer(address,uint256)`. */
export function encodeCall(signature: string, ...values: readonly Value[]): Hex {
  return `${selectorOf(signature)}${encodeTuple(typesIn(signature.slice(signature.indexOf("("))), values)}`;
}

/** Values one after the other, as constructors and hashed keys have them. */
export function encodeValues(types: readonly string[], ...values: readonly Value[]): Hex {
  return `0x${encodeTuple(types, values)}`;
}

const selectors = new Map<string, Hex>();

export function selectorOf(signature: string): Hex {
  let selector = selectors.get(signature);
  if (selector === undefined) {
    selector = toHex(keccak256(Buffer.from(signature)).subarray(0, 4));
    selectors.set(signature, selector);
  }
  return selector;
}

/** All of these answer hex digits without 0x. */
function encodeTuple(types: readonly string[], values: readonly Value[]): string {
  if (types.length !== values.length) throw new Error(`expected ${types.length} values, not ${values.length}`);
  const parts = types.map((type, i) => encode(type, values[i]!));
  const headSize = types.reduce((size, type, i) => size + (isDynamic(type) ? 64 : parts[i]!.length), 0);
  let heads = "";
  let tails = "";
  for (const [i, type] of types.entries()) {
    if (!isDynamic(type)) {
      heads += parts[i]!;
      continue;
    }
    heads += word(BigInt((headSize + tails.length) / 2));
    tails += parts[i]!;
  }
  return heads + tails;
}

function encode(type: string, value: Value): string {
  if (type.endsWith("[]")) {
    const items = value as readonly Value[];
    return word(BigInt(items.length)) + encodeTuple(new Array<string>(items.length).fill(type.slice(0, -2)), items);
  }
  if (type.startsWith("(")) return encodeTuple(typesIn(type), value as readonly Value[]);
  if (type === "string") return encodeBytes(Buffer.from(value as string).toString("hex"));
  if (type === "bytes") return encodeBytes((value as string).slice(2));
  if (type.startsWith("bytes")) return (value as string).slice(2).padEnd(64, "0");
  return word(BigInt(value as string | bigint | number | boolean));
}

function encodeBytes(digits: string): string {
  return word(BigInt(digits.length / 2)) + digits.padEnd(Math.ceil(digits.length / 64) * 64, "0");
}

function word(value: bigint): string {
  return BigInt.asUintN(256, value).toString(16).padStart(64, "0");
}

function isDynamic(type: string): boolean {
  if (type.startsWith("(") && !type.endsWith("[]")) return typesIn(type).some(isDynamic);
  return type === "string" || type === "bytes" || type.endsWith("[]");
}

/** The types of a tuple: those between commas that are not in a tuple inside. */
function typesIn(tuple: string): string[] {
  const types: string[] = [];
  let depth = 0;
  let start = 1;
  for (let at = 0; at < tuple.length; at++) {
    if (tuple[at] === "(") depth++;
    if (tuple[at] === ")") depth--;
    const isEnd = depth === 0 || (depth === 1 && tuple[at] === ",");
    if (!isEnd) continue;
    if (at > start) types.push(tuple.slice(start, at));
    start = at + 1;
    if (depth === 0) break;
  }
  return types;
}

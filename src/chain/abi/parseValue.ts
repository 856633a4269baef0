import { checksumAddress } from "../encoding/checksum.ts";
import { fromHex } from "../encoding/hex.ts";
import { isAddress } from "../encoding/parse.ts";
import { ChainError } from "../error.ts";
import type { Encodable } from "./encode.ts";
import type { AbiType } from "./type.ts";

/** More than anyone types into a form. */
const MAX_ITEMS = 1000;

/**
 * Parses user input: `1000`, `0x3e8`, `true`, an address, hex bytes, plain text. Arrays and tuples are bracketed, `[1,
 * 2]`, and may contain JSON strings. Throws a message for the user.
 */
export function parseValue(type: AbiType, text: string): Encodable {
  if (type.kind === "string") return text;
  return parseItem(type, text.trim());
}

function parseItem(type: AbiType, text: string): Encodable {
  switch (type.kind) {
    case "uint":
    case "int":
      return parseInteger(type, unquoted(text));
    case "bool":
      return parseFlag(type, unquoted(text));
    case "address":
      return parseAddress(type, unquoted(text));
    case "bytes":
      return parseBytes(type, unquoted(text), undefined);
    case "fixedBytes":
      return parseBytes(type, unquoted(text), type.length);
    case "string":
      return unquoted(text);
    case "array":
      return parseList(type, text, type.length).map((item) => parseItem(type.item, item));
    case "tuple":
      return parseList(type, text, type.items.length).map((item, at) => parseItem(type.items[at]!, item));
  }
}

function parseInteger(type: AbiType & { readonly kind: "uint" | "int" }, text: string): bigint {
  const digits = text.replace(/[_,' ]/g, "");
  if (!/^-?(\d{1,100}|0x[\da-f]{1,64})$/i.test(digits))
    throw unfit(type, text, "a whole number, such as 1000 or 0x3e8");
  const isNegative = digits.startsWith("-");
  const size = BigInt(isNegative ? digits.slice(1) : digits);
  const value = isNegative ? -size : size;
  const wrapped = type.kind === "int" ? BigInt.asIntN(type.bits, value) : BigInt.asUintN(type.bits, value);
  if (wrapped === value) return value;
  const range =
    type.kind === "int" ? `from -2^${type.bits - 1} to 2^${type.bits - 1} - 1` : `from 0 to 2^${type.bits} - 1`;
  throw unfit(type, text, `a whole number ${range}`);
}

function parseFlag(type: AbiType, text: string): boolean {
  if (/^(true|1)$/i.test(text)) return true;
  if (/^(false|0)$/i.test(text)) return false;
  throw unfit(type, text, "true or false");
}

/** Mixed case is an ERC-55 checksum; a mismatch means a mistyped digit. */
function parseAddress(type: AbiType, text: string): string {
  if (!isAddress(text)) throw unfit(type, text, "0x and 40 hex digits");
  const digits = text.slice(2);
  const isMixed = digits !== digits.toLowerCase() && digits !== digits.toUpperCase();
  if (isMixed && checksumAddress(fromHex(text)) !== text) {
    throw unfit(type, text, "an address whose checksum is right: a digit of this one is mistyped");
  }
  return text;
}

function parseBytes(type: AbiType, text: string, length: number | undefined): string {
  const isHex = /^0x([\da-f]{2})*$/i.test(text);
  if (isHex && (length === undefined || text.length === 2 + length * 2)) return text;
  throw unfit(type, text, `0x and ${length === undefined ? "an even number of" : length * 2} hex digits`);
}

function parseList(type: AbiType, text: string, length: number | undefined): readonly string[] {
  const items = splitList(text);
  const wanted = length === undefined ? "a list in brackets, such as [1, 2]" : `a list of ${length} in brackets`;
  if (items === undefined) throw unfit(type, text, wanted);
  if (items.length > MAX_ITEMS) throw unfit(type, text, `a list of at most ${MAX_ITEMS}`);
  if (length !== undefined && items.length !== length) throw unfit(type, text, wanted);
  return items;
}

/** Splits at top-level commas; undefined if the text is not bracketed. */
function splitList(text: string): readonly string[] | undefined {
  const isBracketed = /^\[[\s\S]*\]$/.test(text) || /^\([\s\S]*\)$/.test(text);
  if (!isBracketed) return undefined;
  const inner = text.slice(1, -1);
  if (inner.trim() === "") return [];
  const items: string[] = [];
  let depth = 0;
  let begin = 0;
  for (const { 0: sign, index } of inner.matchAll(/"(?:[^"\\]|\\.)*"|[[(\])",]/g)) {
    if (sign === '"') return undefined;
    if (sign === "[" || sign === "(") depth++;
    else if (sign === "]" || sign === ")") depth--;
    else if (sign === "," && depth === 0) {
      items.push(inner.slice(begin, index).trim());
      begin = index + 1;
    }
    if (depth < 0) return undefined;
  }
  return depth === 0 ? [...items, inner.slice(begin).trim()] : undefined;
}

function unquoted(text: string): string {
  if (!/^"[\s\S]*"$/.test(text)) return text;
  try {
    return JSON.parse(text) as string;
  } catch {
    return text;
  }
}

const MAX_QUOTED_LENGTH = 60;

function unfit(type: AbiType, text: string, wanted: string): ChainError {
  const shown = text.length > MAX_QUOTED_LENGTH ? `${text.slice(0, MAX_QUOTED_LENGTH)}…` : text;
  const what = text === "" ? "nothing was given" : `“${shown}” does not fit`;
  const name = type.text.length > MAX_QUOTED_LENGTH ? `${type.text.slice(0, MAX_QUOTED_LENGTH)}…` : type.text;
  return new ChainError("invalid_argument", `${what}: ${name} is ${wanted}`);
}

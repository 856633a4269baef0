import { clip } from "../encoding/hex.ts";
import { ChainError } from "../error.ts";

interface Shape {
  readonly text: string;
  readonly isDynamic: boolean;
  /** Bytes in the head; dynamic types have an offset there. */
  readonly size: number;
  /** Nesting of arrays and tuples around the innermost value. */
  readonly depth: number;
}

/** An ABI type. `function` is treated as 24 bytes. */
export type AbiType = Shape &
  (
    | { readonly kind: "uint" | "int"; readonly bits: number }
    | { readonly kind: "address" | "bool" | "bytes" | "string" }
    | { readonly kind: "fixedBytes"; readonly length: number }
    | { readonly kind: "array"; readonly item: AbiType; readonly length: number | undefined }
    | {
        readonly kind: "tuple";
        readonly items: readonly AbiType[];
        /** Of the members, empty if unnamed; undefined if all are. */
        readonly names?: readonly string[];
      }
  );

export const MAX_DEPTH = 16;

/** Exceeds any data size; sums and products stay exact. */
const HUGE = 2 ** 40;

const WORD_SHAPE = { isDynamic: false, size: 32, depth: 0 } as const;

const ELEMENTARY = elementaryTypes();

/** Undefined for arrays and tuples. `uint` and `int` mean 256 bits. */
export function elementaryType(name: string): AbiType | undefined {
  return ELEMENTARY.get(name);
}

export function arrayOf(item: AbiType, length: number | undefined): AbiType {
  if (length === 0) throw unusable(`${item.text}[0]`, "an array has at least one item");
  const fixed = item.isDynamic ? undefined : length;
  return {
    kind: "array",
    item,
    length,
    text: `${item.text}[${length ?? ""}]`,
    isDynamic: fixed === undefined,
    size: fixed === undefined ? 32 : Math.min(item.size * fixed, HUGE),
    depth: deeper(item.depth, item.text),
  };
}

export function tupleOf(items: readonly AbiType[], names: readonly string[] = []): AbiType {
  const text = `(${items.map((item) => item.text).join(",")})`;
  if (items.length === 0) throw unusable(text, "a tuple has at least one member");
  const isDynamic = items.some((item) => item.isDynamic);
  return {
    kind: "tuple",
    items,
    ...(names.some((name) => name !== "") && { names }),
    text,
    isDynamic,
    size: isDynamic ? 32 : headSize(items),
    depth: deeper(Math.max(...items.map((item) => item.depth)), text),
  };
}

/** Bytes before the first tail. */
export function headSize(types: readonly AbiType[]): number {
  let size = 0;
  for (const type of types) size += type.size;
  return Math.min(size, HUGE);
}

/** Applies array brackets: `[2][]` is a dynamic array of pairs. */
export function withDimensions(item: AbiType, brackets: string): AbiType {
  let type = item;
  let at = 0;
  for (const [bracket, digits] of brackets.matchAll(/\[(\d{0,9})\]/g)) {
    type = arrayOf(type, digits === "" ? undefined : Number(digits));
    at += bracket.length;
  }
  if (at !== brackets.length) throw unusable(brackets, "expected [] or [n]");
  return type;
}

export function unusable(text: string, reason: string): ChainError {
  return new ChainError("invalid_argument", `the ABI cannot be used: ${reason}, at ${JSON.stringify(clip(text))}`);
}

function deeper(depth: number, text: string): number {
  if (depth >= MAX_DEPTH) throw unusable(text, `arrays and tuples stand at most ${MAX_DEPTH} deep`);
  return depth + 1;
}

function elementaryTypes(): ReadonlyMap<string, AbiType> {
  const types: AbiType[] = [
    { kind: "address", text: "address", ...WORD_SHAPE },
    { kind: "bool", text: "bool", ...WORD_SHAPE },
    { kind: "fixedBytes", length: 24, text: "function", ...WORD_SHAPE },
    { kind: "bytes", text: "bytes", ...WORD_SHAPE, isDynamic: true },
    { kind: "string", text: "string", ...WORD_SHAPE, isDynamic: true },
  ];
  for (let length = 1; length <= 32; length++) {
    const bits = length * 8;
    types.push(integer("uint", bits), integer("int", bits));
    types.push({ kind: "fixedBytes", length, text: `bytes${length}`, ...WORD_SHAPE });
  }
  const byName = new Map(types.map((type) => [type.text, type]));
  byName.set("uint", integer("uint", 256)).set("int", integer("int", 256));
  return byName;
}

function integer(kind: "uint" | "int", bits: number): AbiType {
  return { kind, bits, text: `${kind}${bits}`, ...WORD_SHAPE };
}

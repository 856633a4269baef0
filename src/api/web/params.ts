import type { Bytes } from "../../chain/encoding/bytes.ts";
import { fromHex } from "../../chain/encoding/hex.ts";
import { ChainError } from "../../chain/error.ts";
import type { PageRequest } from "../../query/pages.ts";

/** Duplicate names have several values. */
export type Query = Readonly<Record<string, unknown>>;

export const PAGE_SIZE = 50;

/** Block and page numbers are below. */
const MAX_NUMBER = Number.MAX_SAFE_INTEGER;

export class ParameterError extends ChainError {
  constructor(message: string) {
    super("invalid_argument", message);
  }
}

export function parseAddress(text: string): Bytes {
  if (!/^0x[0-9a-f]{40}$/i.test(text)) throw new ParameterError("An address is 0x and 40 hex digits.");
  return fromHex(text);
}

export function parseHash(text: string): Bytes {
  if (!/^0x[0-9a-f]{64}$/i.test(text)) throw new ParameterError("A hash is 0x and 64 hex digits.");
  return fromHex(text);
}

export function parseBlockId(text: string): number | Bytes {
  if (/^0x[0-9a-f]{64}$/i.test(text)) return fromHex(text);
  return parseWhole(text) ?? fail("A block is named by its number or by its hash.");
}

export function parseItemId(text: string): Bytes {
  const id = /^\d{1,78}$/.test(text) ? BigInt(text) : undefined;
  if (id === undefined || id >= 1n << 256n) return fail("The id of an item is a decimal number below 2^256.");
  return fromHex(`0x${id.toString(16).padStart(64, "0")}`);
}

/** Pages are relative to the newest state. */
export function parsePage<C>(query: Query, pageSize = PAGE_SIZE): PageRequest<C> {
  const { page: given } = query;
  if (given === undefined || given === "") return { page: 1, pageSize, cursor: undefined };
  const page = typeof given === "string" ? parseWhole(given) : undefined;
  if (page === undefined || page < 1 || page > MAX_NUMBER / pageSize) fail("A page is a number from 1 on.");
  return { page: page!, pageSize, cursor: undefined };
}

export function parseChoice<T extends string>(query: Query, name: string, choices: readonly [T, ...T[]]): T {
  const given = query[name];
  if (given === undefined || given === "") return choices[0];
  return choices.find((choice) => choice === given) ?? fail(`There is no such ${name} here.`);
}

/** Clamped; 0 by default. */
export function parseNumber(query: Query, name: string, last: number): number {
  const given = query[name];
  if (given === undefined || given === "") return 0;
  const number = typeof given === "string" ? parseWhole(given) : undefined;
  return number !== undefined && number <= last ? number : fail(`There is no such ${name} here.`);
}

function parseWhole(text: string): number | undefined {
  if (!/^\d{1,16}$/.test(text)) return undefined;
  const number = Number(text);
  return number <= MAX_NUMBER ? number : undefined;
}

function fail(message: string): never {
  throw new ParameterError(message);
}

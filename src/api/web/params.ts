import type { Bytes } from "../../chain/encoding/bytes.ts";
import { fromHex } from "../../chain/encoding/hex.ts";
import { isAddress, isHash, parseInteger, parseUint256 } from "../../chain/encoding/parse.ts";
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
  if (!isAddress(text)) throw new ParameterError("An address is 0x and 40 hex digits.");
  return fromHex(text);
}

export function parseHash(text: string): Bytes {
  if (!isHash(text)) throw new ParameterError("A hash is 0x and 64 hex digits.");
  return fromHex(text);
}

export function parseBlockId(text: string): number | Bytes {
  if (isHash(text)) return fromHex(text);
  return parseInteger(text) ?? fail("A block is named by its number or by its hash.");
}

export function parseItemId(text: string): Bytes {
  return parseUint256(text) ?? fail("The id of an item is a decimal number below 2^256.");
}

/** Pages are relative to the newest state. */
export function parsePage<C>(query: Query, pageSize = PAGE_SIZE): PageRequest<C> {
  const { page: given } = query;
  if (given === undefined) return { page: 1, pageSize, cursor: undefined };
  const page = parseInteger(given);
  if (page === undefined || page < 1 || page > MAX_NUMBER / pageSize) fail("A page is a number from 1 on.");
  return { page: page!, pageSize, cursor: undefined };
}

export function parseChoice<T extends string>(query: Query, name: string, choices: readonly [T, ...T[]]): T {
  const given = query[name];
  if (given === undefined) return choices[0];
  return choices.find((choice) => choice === given) ?? fail(`There is no such ${name} here.`);
}

/** Clamped; 0 by default. */
export function parseNumber(query: Query, name: string, last: number): number {
  const given = query[name];
  if (given === undefined) return 0;
  const number = parseInteger(given);
  return number !== undefined && number <= last ? number : fail(`There is no such ${name} here.`);
}

function fail(message: string): never {
  throw new ParameterError(message);
}

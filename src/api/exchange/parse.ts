import type { Hex } from "../../chain/encoding/hex.ts";
import { isAddress, parseInteger } from "../../chain/encoding/parse.ts";
import { ChainError } from "../../chain/error.ts";
import { POOL_TYPES } from "../../chain/exchange/exchangeFields.ts";
import type { ExchangeFilter, PoolFilter } from "../../query/exchange/valuedPools.ts";
import { parsePoolId } from "../../query/pools/poolId.ts";

export class BadRequest extends ChainError {
  constructor(message: string) {
    super("invalid_argument", message);
  }
}

/** Duplicate names have several values. */
export type Query = Readonly<Record<string, unknown>>;

export const PAGE_SIZE = 20;
export const MAX_PAGE_SIZE = 100;

/** A page number is multiplied by the size of a page. */
const MAX_DIGITS = 15;

interface PageParams {
  readonly page: number;
  readonly pageSize: number;
}

export function parsePage(query: Query): PageParams {
  const page = wholeNumber(query, "page_num", 1) ?? 1;
  const pageSize = wholeNumber(query, "page_size", 1) ?? PAGE_SIZE;
  return { page, pageSize: Math.min(pageSize, MAX_PAGE_SIZE) };
}

/** Undefined requests the whole list. */
export function parseOptionalPage(query: Query): PageParams | undefined {
  return query.page_num === undefined && query.page_size === undefined ? undefined : parsePage(query);
}

export function wholeNumber(query: Query, name: string, min: number): number | undefined {
  const given = query[name];
  if (given === undefined) return undefined;
  const number = parseInteger(given, MAX_DIGITS) ?? Number.NaN;
  if (number >= min) return number;
  throw new BadRequest(`${name} must be an integer from ${min} on`);
}

export function oneOf<const T extends string>(query: Query, name: string, allowed: readonly T[], preset: T): T {
  const given = query[name] ?? preset;
  const found = allowed.find((one) => one === given);
  if (found === undefined) throw new BadRequest(`${name} must be one of ${allowed.join(", ")}`);
  return found;
}

export const FILTERS = ["all", ...POOL_TYPES, "any"] as const satisfies readonly PoolFilter[];

export function parseFilter(query: Query): PoolFilter {
  return oneOf(query, "pool_type", FILTERS, "all");
}

export const EXCHANGE_FILTERS = ["all", "known"] as const satisfies readonly ExchangeFilter[];

export function parseExchanges(query: Query): ExchangeFilter {
  return oneOf(query, "exchanges", EXCHANGE_FILTERS, "all");
}

export function parseAddress(given: unknown, name: string): Hex {
  const address = typeof given === "string" ? given.toLowerCase() : undefined;
  if (isAddress(address)) return address;
  throw new BadRequest(`${name} must be an address of 0x and 40 hex digits`);
}

export function parsePool(given: unknown): Hex {
  const id = typeof given === "string" ? parsePoolId(given) : undefined;
  if (id !== undefined) return id;
  throw new BadRequest("address must be an address of 0x and 40 hex digits, or the id of a pool of 64");
}

/** The connected wallet, if given. */
export function parseUser(query: Query): Hex | undefined {
  const name = query.user === undefined ? "user_address" : "user";
  return query[name] === undefined ? undefined : parseAddress(query[name], name);
}

import type { Bytes } from "../../chain/encoding/bytes.ts";
import { fromHex, toHex } from "../../chain/encoding/hex.ts";
import { isAddress, isDigits, isHash, parseInteger, parseUint256 } from "../../chain/encoding/parse.ts";
import { ChainError } from "../../chain/error.ts";
import type { ListCursor, MergeCursor, PageRequest, RankCursor, WalkCursor } from "../../query/pages.ts";
import type { SearchQuery } from "../../query/searchQuery.ts";
import { readSearchQuery } from "../../query/searchQuery.ts";
import { flatString } from "../../std/bytes.ts";

export class ParameterError extends ChainError {
  readonly parameter: string;

  constructor(parameter: string, expected: string) {
    super("invalid_argument", `Invalid format. Expected ${expected}`);
    this.parameter = parameter;
  }
}

/** Duplicate names have several values. */
export type Query = Readonly<Record<string, unknown>>;

/** Specification, section 8. */
export const DEFAULT_PAGE_SIZE = 50;
export const MAX_PAGE_SIZE = 1000;

export function parseAddress(text: string, parameter = "address_hash_param"): Bytes {
  if (!isAddress(text)) throw new ParameterError(parameter, "an address of 0x and 40 hex digits");
  return fromHex(text);
}

/** Undefined if absent. */
export function parseOptionalAddress(query: Query, parameter: string): Bytes | undefined {
  const value = query[parameter];
  return value === undefined ? undefined : parseAddress(String(value), parameter);
}

/** 32 bytes. */
export function parseTokenId(text: string, parameter = "token_id_param"): Bytes {
  const id = parseUint256(text);
  if (id === undefined) throw new ParameterError(parameter, "a decimal number below 2^256");
  return id;
}

export function parseHash(text: string, parameter = "transaction_hash_param"): Bytes {
  if (!isHash(text)) throw new ParameterError(parameter, "a hash of 0x and 64 hex digits");
  return fromHex(text);
}

/** Undefined if absent. */
export function parseOptionalHash(query: Query, parameter: string): Bytes | undefined {
  const value = query[parameter];
  return value === undefined ? undefined : parseHash(String(value), parameter);
}

export function parseBlockId(text: string, parameter = "block_hash_or_number_param"): number | Bytes {
  if (isHash(text)) return fromHex(text);
  const number = parseInteger(text);
  if (number !== undefined) return number;
  throw new ParameterError(parameter, "a decimal block number below 2^53 or a hash of 0x and 64 hex digits");
}

export function parseBlockNumber(text: string, parameter = "block_number_param"): number {
  const number = parseInteger(text);
  if (number !== undefined) return number;
  throw new ParameterError(parameter, "a decimal block number below 2^53");
}

/** Ignores a cursor of another page. */
export function parsePage(query: Query, defaultSize = DEFAULT_PAGE_SIZE): PageRequest {
  const numbers = parseNumbers(query, defaultSize);
  const cursor = parseListCursor(query.anchor);
  if (cursor?.last === undefined || cursor.last.passed === (numbers.page - 1) * numbers.pageSize) {
    return { ...numbers, cursor };
  }
  return { ...numbers, cursor: { count: cursor.count, block: cursor.block } };
}

/** Lists within a block use the block hash as anchor. */
export function parseBlockPage(query: Query): PageRequest<Bytes> {
  const { anchor } = query;
  if (anchor !== undefined && !isHash(anchor)) throw badCursor();
  return { ...parseNumbers(query), cursor: anchor === undefined ? undefined : fromHex(anchor) };
}

export function parseSearch({ q }: Query): SearchQuery {
  if (typeof q !== "string") throw new ParameterError("q", "one text to search for");
  return readSearchQuery(q);
}

/** Defaults to the first choice. */
export function parseChoice<T extends string>(query: Query, parameter: string, choices: readonly [T, ...T[]]): T {
  const value = query[parameter];
  if (value === undefined) return choices[0];
  const choice = choices.find((word) => word === value);
  if (choice === undefined) throw new ParameterError(parameter, `one of ${choices.join(", ")}`);
  return choice;
}

/** Comma-separated; undefined if absent or empty. */
export function parseSome<T extends string>(
  query: Query,
  parameter: string,
  choices: readonly T[],
): readonly T[] | undefined {
  const value = query[parameter];
  if (value === undefined) return undefined;
  const words = typeof value === "string" ? value.slice(0, MAX_CHOICES_LENGTH).split(",") : [""];
  return words.map((word) => {
    const choice = choices.find((one) => one === word);
    if (choice === undefined) throw new ParameterError(parameter, `some of ${choices.join(",")}`);
    return choice;
  });
}

const MAX_CHOICES_LENGTH = 1000;

/** Undefined for both directions. */
export function parseRole(query: Query): "from" | "to" | undefined {
  const value = query.filter;
  if (value === undefined) return undefined;
  if (value === "from" || value === "to") return value;
  throw new ParameterError("filter", "one of from, to");
}

/** Lists without a total have no page numbers, only anchors. */
export function parseWalkPage(query: Query): PageRequest<WalkCursor> {
  const numbers = parseNumbers(query);
  const cursor = parseWalkCursor(query.anchor);
  if (cursor !== undefined || numbers.page === 1) return { ...numbers, cursor };
  throw new ParameterError("page", "1, or all of next_page_params: a filtered list has no page numbers");
}

/** Ignores a cursor of another page. */
export function parseRankedPage(query: Query): PageRequest<RankCursor> {
  const numbers = parseNumbers(query);
  const cursor = parseRankCursor(query.anchor);
  return { ...numbers, cursor: cursor?.rank === (numbers.page - 1) * numbers.pageSize ? cursor : undefined };
}

function parseNumbers(query: Query, defaultSize = DEFAULT_PAGE_SIZE): { page: number; pageSize: number } {
  const size = query.page_size === undefined ? "items_count" : "page_size";
  const pageSize = positive(query[size], size) ?? defaultSize;
  return {
    page: positive(query.page, "page") ?? 1,
    pageSize: Math.min(pageSize, MAX_PAGE_SIZE),
  };
}

/** Value of `anchor` for the next page. */
export function writeCursor(cursor: ListCursor | RankCursor | WalkCursor | MergeCursor | Bytes): string {
  if (cursor instanceof Uint8Array) return toHex(cursor);
  if ("below" in cursor) return ["below", ...cursor.last, ...cursor.below].join("-");
  if ("after" in cursor) return ["after", cursor.after, ...(cursor.block ? [toHex(cursor.block)] : [])].join("-");
  return "rank" in cursor ? [cursor.rank, ...cursor.key].join("-") : writeListCursor(cursor);
}

function writeListCursor({ count, block, last }: ListCursor): string {
  return flatString(last === undefined ? `${count}-${block}` : `${count}-${block}-${last.passed}-${last.position}`);
}

function parseListCursor(value: unknown): ListCursor | undefined {
  if (value === undefined) return undefined;
  const parts =
    typeof value === "string"
      ? value
          .slice(0, 96)
          .split("-")
          .map((text) => parseInteger(text))
      : [];
  const [count, block, passed, position] = parts;
  if (count === undefined || block === undefined) throw badCursor();
  if (parts.length === 2) return { count, block };
  if (parts.length !== 4 || passed === undefined || position === undefined) throw badCursor();
  return { count, block, last: { passed, position } };
}

function parseWalkCursor(value: unknown): WalkCursor | undefined {
  if (value === undefined) return undefined;
  const [word, position, block, ...rest] = typeof value === "string" ? value.slice(0, 128).split("-") : [];
  const after = parseInteger(position);
  if (word !== "after" || after === undefined || rest.length > 0) throw badCursor();
  if (block === undefined) return { after };
  if (!isHash(block)) throw badCursor();
  return { after, block: fromHex(block) };
}

/** The same for a merge of `lists` lists. */
export function parseMergePage(query: Query, lists: number): PageRequest<MergeCursor> {
  const numbers = parseNumbers(query);
  const cursor = parseMergeCursor(query.anchor, lists);
  if (cursor !== undefined || numbers.page === 1) return { ...numbers, cursor };
  throw new ParameterError("page", "1, or all of next_page_params: a filtered list has no page numbers");
}

function parseMergeCursor(value: unknown, lists: number): MergeCursor | undefined {
  if (value === undefined) return undefined;
  const [word, ...texts] = typeof value === "string" ? value.slice(0, 128).split("-") : [];
  const [block, index, list, ...below] = texts.map((text) => parseInteger(text));
  const positions = below.filter((position) => position !== undefined);
  if (word !== "below" || below.length !== lists || positions.length !== lists) throw badCursor();
  if (block === undefined || index === undefined || list === undefined) throw badCursor();
  return { below: positions, last: [block, index, list] };
}

/** Amounts have at most 127 bytes. */
const AMOUNT_DIGITS = 305;

function parseRankCursor(value: unknown): RankCursor | undefined {
  if (value === undefined) return undefined;
  const [rank, first, second, ...rest] = typeof value === "string" ? value.slice(0, 512).split("-") : [];
  const [place, last] = [parseInteger(rank), parseInteger(second)];
  if (place === undefined || last === undefined || rest.length > 0) throw badCursor();
  if (first === undefined || first.length > AMOUNT_DIGITS || !isDigits(first)) throw badCursor();
  return { rank: place, key: [BigInt(first), last] };
}

function badCursor(): ParameterError {
  return new ParameterError("anchor", "the anchor of next_page_params");
}

function positive(value: unknown, parameter: string): number | undefined {
  if (value === undefined) return undefined;
  const number = parseInteger(value);
  if (number === undefined || number < 1) throw new ParameterError(parameter, "an integer from 1");
  return number;
}

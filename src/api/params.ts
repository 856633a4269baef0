import type { Bytes } from "../chain/bytes.ts";
import { ChainError } from "../chain/error.ts";
import { fromHex } from "../chain/hex.ts";

/** A parameter that cannot be read, with the name clients know it by. */
export class ParameterError extends ChainError {
  readonly parameter: string;

  constructor(parameter: string, expected: string) {
    super("invalid_argument", `Invalid format. Expected ${expected}`);
    this.parameter = parameter;
  }
}

/** The query string as it was parsed: a name given twice has several values. */
export type Query = Readonly<Record<string, unknown>>;

/** The top of a list and the block it was read at: later pages count down from there while the list grows. */
export interface Anchor {
  readonly count: number;
  readonly block: number;
}

export interface PageRequest {
  readonly page: number;
  readonly pageSize: number;
  readonly anchor: Anchor | undefined;
}

/** Specification, section 8. */
const DEFAULT_PAGE_SIZE = 50;
const LARGEST_PAGE_SIZE = 1000;

export function parseAddress(text: string, parameter = "address_hash_param"): Bytes {
  if (!isHex(text, 40)) throw new ParameterError(parameter, "an address of 0x and 40 hex digits");
  return fromHex(text);
}

export function parseHash(text: string, parameter = "transaction_hash_param"): Bytes {
  if (!isHex(text, 64)) throw new ParameterError(parameter, "a hash of 0x and 64 hex digits");
  return fromHex(text);
}

export function parseBlockId(text: string, parameter = "block_hash_or_number_param"): number | Bytes {
  if (isHex(text, 64)) return fromHex(text);
  const number = wholeNumber(text);
  if (number !== undefined) return number;
  throw new ParameterError(parameter, "a decimal block number below 2^53 or a hash of 0x and 64 hex digits");
}

export function parsePage(query: Query): PageRequest {
  const size = query.page_size === undefined ? "items_count" : "page_size";
  const pageSize = positive(query[size], size) ?? DEFAULT_PAGE_SIZE;
  return {
    page: positive(query.page, "page") ?? 1,
    pageSize: Math.min(pageSize, LARGEST_PAGE_SIZE),
    anchor: parseAnchor(query.anchor),
  };
}

export function writeAnchor({ count, block }: Anchor): string {
  return `${count}-${block}`;
}

function parseAnchor(value: unknown): Anchor | undefined {
  if (value === undefined) return undefined;
  const [count, block, ...rest] = typeof value === "string" ? value.slice(0, 64).split("-").map(wholeNumber) : [];
  if (count === undefined || block === undefined || rest.length > 0) {
    throw new ParameterError("anchor", "the anchor of next_page_params");
  }
  return { count, block };
}

function positive(value: unknown, parameter: string): number | undefined {
  if (value === undefined) return undefined;
  const number = typeof value === "string" ? wholeNumber(value) : undefined;
  if (number === undefined || number < 1) throw new ParameterError(parameter, "an integer from 1");
  return number;
}

const SAFE_DIGITS = 16;

function wholeNumber(text: string): number | undefined {
  if (text.length === 0 || text.length > SAFE_DIGITS) return undefined;
  for (let i = 0; i < text.length; i++) if (!isDigit(text.charCodeAt(i))) return undefined;
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : undefined;
}

function isHex(text: string, digits: number): boolean {
  if (text.length !== digits + 2 || !text.startsWith("0x")) return false;
  for (let i = 2; i < text.length; i++) {
    const code = text.charCodeAt(i);
    const letter = code | 32;
    if (!isDigit(code) && !(letter >= 97 && letter <= 102)) return false;
  }
  return true;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

import type { Bytes } from "../../chain/encoding/bytes.ts";
import { fromHex } from "../../chain/encoding/hex.ts";
import { isAddress, isHash, parseInteger } from "../../chain/encoding/parse.ts";
import type { BlockName } from "../../query/blocks/namedBlock.ts";
import type { PageRequest } from "../../query/pages.ts";
import { ActionError } from "./answer.ts";
import type { Parameters } from "./parameters.ts";

/** A page number is multiplied by the size of a page. */
const MAX_DIGITS = 15;

/** Messages that clients match (docs/action-api.md). */
interface Texts {
  readonly missing: string;
  readonly invalid: string;
}

export function requireAddress(parameters: Parameters, name: string, { missing, invalid }: Texts): Bytes {
  const text = parameters.get(name);
  if (text === undefined) throw new ActionError(missing);
  return parseAddress(text, invalid);
}

export function optionalAddress(parameters: Parameters, name: string, invalid: string): Bytes | undefined {
  const text = parameters.get(name);
  return text === undefined ? undefined : parseAddress(text, invalid);
}

export function parseAddress(text: string, invalid: string): Bytes {
  const address = text.toLowerCase();
  if (!isAddress(address)) throw new ActionError(invalid);
  return fromHex(address);
}

export function requireAddresses(
  parameters: Parameters,
  name: string,
  limit: number,
  { missing, invalid }: Texts,
): Bytes[] {
  const texts = parameters.list(name, limit);
  if (texts.length === 0) throw new ActionError(missing);
  const addresses = texts.map((text) => parseAddress(text, invalid));
  if (addresses.length > limit)
    throw new ActionError(`Too many addresses: at most ${limit} are allowed in one request`);
  return addresses;
}

export function requireHash(parameters: Parameters, name: string, { missing, invalid }: Texts): Bytes {
  const text = parameters.get(name);
  if (text === undefined) throw new ActionError(missing);
  const hash = parseHash(text);
  if (hash === undefined) throw new ActionError(invalid);
  return hash;
}

export function parseHash(text: string): Bytes | undefined {
  const hash = text.toLowerCase();
  return isHash(hash) ? fromHex(hash) : undefined;
}

export function parseNumber(text: string | undefined): number | undefined {
  return parseInteger(text, MAX_DIGITS);
}

const HEX_NUMBER = /^0x[\da-f]{1,12}$/i;
const TAGS: ReadonlySet<string> = new Set(["latest", "earliest", "safe", "finalized"]);

/** A decimal or hex number, or a tag; undefined otherwise. */
export function parseBlockName(text: string): BlockName | undefined {
  const tag = text.toLowerCase();
  if (TAGS.has(tag)) return tag as BlockName;
  return HEX_NUMBER.test(text) ? Number(text) : parseNumber(text);
}

export interface RowWindow {
  readonly skip: number;
  readonly limit: number;
}

/** Invalid values become the default: clients send page 0. */
export function parsePage(parameters: Parameters, largest: number, size = largest): RowWindow {
  const page = parseNumber(parameters.get("page"));
  const offset = parseNumber(parameters.get("offset"));
  const limit = offset === undefined || offset < 1 || offset > largest ? size : offset;
  return { skip: (Math.max(page ?? 1, 1) - 1) * limit, limit };
}

/** The same for a list that is read page by page. */
export function parsePageRequest(parameters: Parameters, largest: number, size = largest): PageRequest<never> {
  const { skip, limit } = parsePage(parameters, largest, size);
  return { page: skip / limit + 1, pageSize: limit, cursor: undefined };
}

/** Inclusive block range and order. Invalid numbers become the default. */
export interface BlockOrder {
  readonly fromBlock: number;
  readonly toBlock: number;
  readonly order: "asc" | "desc";
}

export function parseBlockOrder(parameters: Parameters): BlockOrder {
  return {
    fromBlock: parseNumber(parameters.get("startblock")) ?? 0,
    toBlock: parseNumber(parameters.get("endblock")) ?? Number.MAX_SAFE_INTEGER,
    order: parseOrder(parameters, "desc"),
  };
}

export function parseOrder(parameters: Parameters, usual: BlockOrder["order"]): BlockOrder["order"] {
  const order = parameters.get("sort")?.toLowerCase() ?? usual;
  if (order !== "asc" && order !== "desc") throw new ActionError("Invalid sort: use asc or desc");
  return order;
}

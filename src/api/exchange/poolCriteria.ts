import type { PoolCriteria } from "../../query/pools/poolCriteria.ts";
import type { PoolSort } from "../../query/pools/poolOrder.ts";
import { POOL_SORTS } from "../../query/pools/poolOrder.ts";
import type { Parameter } from "../openapi/operation.ts";
import { Type } from "../openapi/type.ts";
import { words } from "../openapi/values.ts";
import { inQuery } from "./parameters.ts";
import type { Query } from "./parse.ts";
import { BadRequest, oneOf, parseAddress, wholeNumber } from "./parse.ts";

const text = (name: string, description: string) => inQuery(name, Type.String({ description }));
const seconds = (name: string, description: string) => inQuery(name, Type.Integer({ description, minimum: 0 }));

/** Beyond the specification. */
export const CRITERIA: readonly Parameter[] = [
  text("token", "Only pools of this token: an address, or two with a comma between them for pools of both."),
  text("dex", "Only pools of an exchange: its name in any case, or its factory."),
  inQuery("fee", Type.Integer({ description: "Only pools with this `feeTier`.", minimum: 0 })),
  text("min_tvl", "Only pools with this `tvlUsd` or more."),
  text("min_volume", "Only pools with this `volumeUsd24` or more."),
  seconds("created_after", "Only pools created at this second since 1970 or later."),
  seconds("created_before", "Only pools created before this second since 1970."),
  text(
    "search",
    "Only pools in which each word is found: in symbols, names and addresses of tokens, exchange or pool.",
  ),
  inQuery("sort_by", {
    ...words(POOL_SORTS, "What pools are sorted by. Figures are those of 24 hours; equal ones are sorted by value."),
    default: "tvl",
  }),
  inQuery("sort_order", { ...words(["desc", "asc"], "The highest or the lowest first."), default: "desc" }),
];

interface PoolRequest extends PoolCriteria {
  readonly sort: PoolSort | undefined;
  readonly isAscending: boolean;
}

const MAX_SEARCH = 100;

export function parseCriteria(query: Query): PoolRequest {
  return {
    tokens: parseTokens(query.token),
    dex: parseText(query, "dex")?.toLowerCase(),
    fee: wholeNumber(query, "fee", 0),
    minLocked: parseDollars(query, "min_tvl"),
    minTraded: parseDollars(query, "min_volume"),
    createdFrom: wholeNumber(query, "created_after", 0),
    createdBefore: wholeNumber(query, "created_before", 0),
    search: parseText(query, "search")?.slice(0, MAX_SEARCH),
    sort: query.sort_by === undefined ? undefined : oneOf(query, "sort_by", POOL_SORTS, "tvl"),
    isAscending: oneOf(query, "sort_order", ["desc", "asc"], "desc") === "asc",
  };
}

const MAX_TOKENS = 2;

function parseTokens(given: unknown) {
  if (given === undefined) return undefined;
  const tokens = typeof given === "string" ? given.split(",", MAX_TOKENS + 1) : [];
  if (tokens.length === 0 || tokens.length > MAX_TOKENS) throw new BadRequest("token must be one address or two");
  return tokens.map((token) => parseAddress(token, "token"));
}

function parseText(query: Query, name: string): string | undefined {
  const given = query[name];
  if (given === undefined || typeof given === "string") return given;
  throw new BadRequest(`${name} must be given once`);
}

const DOLLARS = /^(\d{1,18})(?:\.(\d{1,8}))?$/;

/** In units of 10^-8. */
function parseDollars(query: Query, name: string): bigint | undefined {
  const given = parseText(query, name);
  if (given === undefined) return undefined;
  const [, whole, rest = ""] = DOLLARS.exec(given) ?? [];
  if (whole !== undefined) return BigInt(whole + rest.padEnd(8, "0"));
  throw new BadRequest(`${name} must be a decimal number of dollars, with at most 8 digits after the point`);
}

import type { TSchema } from "typebox";
import { fromHex } from "../../chain/encoding/hex.ts";
import type { Interval, IntervalRequest } from "../../query/pools/intervals.ts";
import { INTERVALS } from "../../query/pools/intervals.ts";
import { EVENT_TYPES } from "../../query/pools/poolEvents.ts";
import type { Parameter } from "../openapi/operation.ts";
import { Type } from "../openapi/type.ts";
import { words } from "../openapi/values.ts";
import type { Query } from "./parse.ts";
import { EXCHANGE_FILTERS, FILTERS, MAX_PAGE_SIZE, oneOf, PAGE_SIZE, parseUser, wholeNumber } from "./parse.ts";

export const inQuery = (name: string, schema: TSchema): Parameter => ({ name, in: "query", schema });

export const FILTER = inQuery("pool_type", {
  ...words(
    FILTERS,
    "`all`, which are `v2` and `v3`; one of these; `v4`, `infinity`, `algebra`, `volatile` or `stable`; or `any` with these. What is not `v2` or `v3` is beyond the specification.",
  ),
  default: "all",
});
export const EXCHANGES = inQuery("exchanges", {
  ...words(
    EXCHANGE_FILTERS,
    "`known` leaves out what only exchanges have that are neither configured nor known by their code. Beyond the specification.",
  ),
  default: "all",
});
export const PAGE_NUM = inQuery("page_num", Type.Integer({ description: "The page, from 1.", minimum: 1, default: 1 }));
const SIZE = `Items on a page; more than ${MAX_PAGE_SIZE} are ${MAX_PAGE_SIZE}.`;
export const PAGE_ITEMS = inQuery("page_size", Type.Integer({ description: SIZE, minimum: 1, default: PAGE_SIZE }));
export const PART = inQuery(
  "page_num",
  Type.Integer({ description: "A page, from 1; without it and `page_size` all.", minimum: 1 }),
);
export const PART_ITEMS = inQuery("page_size", Type.Integer({ description: SIZE, minimum: 1 }));
export const USER = inQuery(
  "user",
  Type.String({ description: "Whose liquidity `hasUserLiquidity` tells of: an address. `user_address` is the same." }),
);
export const POOL: Parameter = pathAddress("The address of a pool, or the id of one without.");
export const USER_ADDRESS: Parameter = pathAddress("The address of a user.");
export const POSITION: Parameter = {
  ...inQuery("position", Type.String({ description: "A position: the `id` that the list of a user's positions has." })),
  required: true,
};
export const TOKEN: Parameter = pathAddress("The address of a token.");

function pathAddress(description: string): Parameter {
  return { name: "address", in: "path", required: true, schema: Type.String({ description }) };
}

export const EVENT_TYPE = inQuery("type", {
  ...words(["all", ...EVENT_TYPES], "Only events of this type."),
  default: "all",
});

const MAX_CANDLES = 1000;
const CANDLES = 100;

export const INTERVAL_PARAMETERS: readonly Parameter[] = [
  inQuery("interval", {
    ...words(Object.keys(INTERVALS) as Interval[], "How long an interval is."),
    default: "1h",
  }),
  inQuery(
    "limit",
    Type.Integer({ description: `Intervals to look at, to ${MAX_CANDLES}.`, minimum: 1, default: CANDLES }),
  ),
  inQuery("before", Type.Integer({ description: "Intervals that begin before this second since 1970.", minimum: 0 })),
];

export function parseIntervals(query: Query): IntervalRequest {
  const interval = oneOf(query, "interval", Object.keys(INTERVALS) as Interval[], "1h");
  const limit = Math.min(wholeNumber(query, "limit", 1) ?? CANDLES, MAX_CANDLES);
  return { interval, limit, before: wholeNumber(query, "before", 0) };
}

export function userOf(query: Query) {
  const user = parseUser(query);
  return user && fromHex(user);
}

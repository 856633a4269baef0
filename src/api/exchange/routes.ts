import type { TSchema } from "typebox";
import type { Hex } from "../../chain/encoding/hex.ts";
import { fromHex } from "../../chain/encoding/hex.ts";
import { ChainError } from "../../chain/error.ts";
import type { QueryContext } from "../../query/context.ts";
import { listCandles } from "../../query/pools/candles.ts";
import { findTokenPrice, listExchangeTokens, listPairs } from "../../query/pools/exchangeTokens.ts";
import type { Interval, IntervalRequest } from "../../query/pools/intervals.ts";
import { INTERVALS } from "../../query/pools/intervals.ts";
import { listLocked } from "../../query/pools/lockedHistory.ts";
import { findPool } from "../../query/pools/poolDetail.ts";
import { listPools } from "../../query/pools/poolPages.ts";
import { listSwaps } from "../../query/pools/swaps.ts";
import { mapInTurns } from "../../std/async.ts";
import { JSON_TYPE } from "../http/failure.ts";
import { TextResponse } from "../http/responseCache.ts";
import type { Parameter } from "../openapi/operation.ts";
import { Type } from "../openapi/type.ts";
import { words } from "../openapi/values.ts";
import {
  CandlesSchema,
  LockedHistorySchema,
  PairsSchema,
  PoolAnswerSchema,
  PoolsSchema,
  PriceAnswerSchema,
  SwapsSchema,
  TokensSchema,
} from "./exchangeSchema.ts";
import type { Query } from "./parse.ts";
import {
  EXCHANGE_FILTERS,
  FILTERS,
  MAX_PAGE_SIZE,
  oneOf,
  PAGE_SIZE,
  parseAddress,
  parseExchanges,
  parseFilter,
  parseOptionalPage,
  parsePage,
  parseUser,
  wholeNumber,
} from "./parse.ts";
import { presentExchangeToken, presentTokenPrice, writeTokens } from "./presentExchangeToken.ts";
import {
  presentCandle,
  presentLocked,
  presentPair,
  presentPool,
  presentPoolDetail,
  presentSwap,
} from "./presentPool.ts";

export interface ExchangeContext {
  readonly network: QueryContext;
  readonly chainId: number;
}

interface ExchangeRequest {
  /** The only path parameter. */
  readonly parameter: string;
  readonly query: Query;
}

export interface ExchangeRoute {
  readonly path: string;
  readonly summary: string;
  readonly parameters: readonly Parameter[];
  readonly schema: TSchema;
  /** A single record rather than a list. */
  readonly isRecord?: true;
  serve(context: ExchangeContext, request: ExchangeRequest): Promise<object>;
}

const inQuery = (name: string, schema: TSchema): Parameter => ({ name, in: "query", schema });

const FILTER = inQuery("pool_type", { ...words(FILTERS, "`all`, `v2` or `v3`"), default: "all" });
const EXCHANGES = inQuery("exchanges", {
  ...words(
    EXCHANGE_FILTERS,
    "`known` leaves out what only exchanges have that are neither configured nor known by their code. Beyond the specification.",
  ),
  default: "all",
});
const PAGE_NUM = inQuery("page_num", Type.Integer({ description: "The page, from 1.", minimum: 1, default: 1 }));
const SIZE = `Items on a page; more than ${MAX_PAGE_SIZE} are ${MAX_PAGE_SIZE}.`;
const PAGE_ITEMS = inQuery("page_size", Type.Integer({ description: SIZE, minimum: 1, default: PAGE_SIZE }));
const PART = inQuery(
  "page_num",
  Type.Integer({ description: "A page, from 1; without it and `page_size` all.", minimum: 1 }),
);
const PART_ITEMS = inQuery("page_size", Type.Integer({ description: SIZE, minimum: 1 }));
const USER = inQuery(
  "user",
  Type.String({ description: "Whose liquidity `hasUserLiquidity` tells of: an address. `user_address` is the same." }),
);
const POOL: Parameter = pathAddress("The address of a pool.");
const TOKEN: Parameter = pathAddress("The address of a token.");

function pathAddress(description: string): Parameter {
  return { name: "address", in: "path", required: true, schema: Type.String({ description }) };
}

const MAX_CANDLES = 1000;
const CANDLES = 100;

const INTERVAL_PARAMETERS: readonly Parameter[] = [
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

const DONE = { code: 0, success: true } as const;

export const EXCHANGE_ROUTES: readonly ExchangeRoute[] = [
  {
    path: "/pairs",
    summary: "all [pairs](#pair), newest first",
    parameters: [FILTER, EXCHANGES, PART, PART_ITEMS],
    schema: PairsSchema,
    serve: async ({ network, chainId }, { query }) => {
      const wanted = { filter: parseFilter(query), exchanges: parseExchanges(query) };
      const pools = await listPairs(network, wanted, parseOptionalPage(query));
      return { data: await mapInTurns(pools, (pool) => presentPair(pool, chainId)), success: true };
    },
  },
  {
    path: "/pools",
    summary: "a page of [pools](#pool), those with the highest [value](#values) first",
    parameters: [FILTER, EXCHANGES, PAGE_NUM, PAGE_ITEMS, USER],
    schema: PoolsSchema,
    serve: servePools,
  },
  {
    path: "/pools/{address}",
    isRecord: true,
    summary: "a [pool in detail](#pool-in-detail)",
    parameters: [POOL, USER],
    schema: PoolAnswerSchema,
    serve: async ({ network }, { parameter, query }) => {
      const pool = expectFound(await findPool(network, parseAddress(parameter, "address"), userOf(query)));
      return { data: presentPoolDetail(pool), ...DONE };
    },
  },
  {
    path: "/pools/{address}/candles",
    summary: "the [candles](#candle) of a pool, oldest first",
    parameters: [POOL, ...INTERVAL_PARAMETERS],
    schema: CandlesSchema,
    serve: serveCandles,
  },
  {
    path: "/pools/{address}/tvl",
    summary: "the [value locked](#value-locked) in a pool after each interval, oldest first",
    parameters: [POOL, ...INTERVAL_PARAMETERS],
    schema: LockedHistorySchema,
    serve: async ({ network }, { parameter, query }) => {
      const address = parseAddress(parameter, "address");
      const { record, points } = expectFound(await listLocked(network, address, parseIntervals(query)));
      return { data: points.map((point) => presentLocked(record, point)), ...DONE };
    },
  },
  {
    path: "/pools/{address}/swaps",
    summary: "a page of the [swaps](#swap) of a pool, newest first",
    parameters: [POOL, PAGE_NUM, PAGE_ITEMS],
    schema: SwapsSchema,
    serve: async ({ network }, { parameter, query }) => {
      const page = parsePage(query);
      const { record, swaps, total } = expectFound(await listSwaps(network, parseAddress(parameter, "address"), page));
      const meta = { count: swaps.length, page_num: page.page, page_size: page.pageSize, total };
      return { data: swaps.map((swap) => presentSwap(record, swap)), meta, ...DONE };
    },
  },
  {
    path: "/tokens",
    summary: "all [ERC-20 tokens](#exchange-token) but pool shares, newest first",
    parameters: [EXCHANGES, PART, PART_ITEMS],
    schema: TokensSchema,
    serve: async ({ network, chainId }, { query }) => {
      const page = parseOptionalPage(query);
      const tokens = await listExchangeTokens(network, parseExchanges(query), page);
      if (page === undefined) return new TextResponse(await writeTokens(tokens, chainId), JSON_TYPE);
      return { data: tokens.map((token) => presentExchangeToken(token, chainId)) };
    },
  },
  {
    path: "/tokens/{address}/price",
    isRecord: true,
    summary: "the [price of a token](#token-price) and the pools it comes from",
    parameters: [TOKEN],
    schema: PriceAnswerSchema,
    serve: async ({ network }, { parameter }) => {
      const price = expectFound(await findTokenPrice(network, parseAddress(parameter, "address")));
      return { data: presentTokenPrice(price), ...DONE };
    },
  },
];

async function servePools({ network }: ExchangeContext, { query }: ExchangeRequest): Promise<object> {
  const filter = parseFilter(query);
  const { page, pageSize } = parsePage(query);
  const exchanges = parseExchanges(query);
  const request = { page, pageSize, filter, exchanges, user: userOf(query) };
  const { pools, owned, total, hasAnchors } = await listPools(network, request);
  const sort = { sort_by: hasAnchors ? "tvl" : "transactions", sort_order: "desc" };
  const meta = { count: pools.length, page_num: page, page_size: pageSize, pool_type: filter, ...sort, total };
  return { data: pools.map((record) => presentPool(record, owned.has(record.pool.id))), meta, ...DONE };
}

async function serveCandles({ network }: ExchangeContext, { parameter, query }: ExchangeRequest): Promise<object> {
  const { record, candles } = expectFound(
    await listCandles(network, parseAddress(parameter, "address"), parseIntervals(query)),
  );
  return { data: candles.map((candle) => presentCandle(record, candle)), ...DONE };
}

function parseIntervals(query: Query): IntervalRequest {
  const interval = oneOf(query, "interval", Object.keys(INTERVALS) as Interval[], "1h");
  const limit = Math.min(wholeNumber(query, "limit", 1) ?? CANDLES, MAX_CANDLES);
  return { interval, limit, before: wholeNumber(query, "before", 0) };
}

function userOf(query: Query) {
  const user: Hex | undefined = parseUser(query);
  return user && fromHex(user);
}

function expectFound<T>(found: T | undefined): T {
  if (found === undefined) throw new ChainError("not_found", "Not found");
  return found;
}

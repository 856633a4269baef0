import { listCandles } from "../../query/pools/candles.ts";
import { listPairs } from "../../query/pools/exchangeTokens.ts";
import { listLocked } from "../../query/pools/lockedHistory.ts";
import { findPool } from "../../query/pools/poolDetail.ts";
import { EVENT_TYPES, listPoolEvents } from "../../query/pools/poolEvents.ts";
import { listPools } from "../../query/pools/poolPages.ts";
import { listSwaps } from "../../query/pools/swaps.ts";
import { mapInTurns } from "../../std/async.ts";
import {
  CandlesSchema,
  LockedHistorySchema,
  PairsSchema,
  PoolAnswerSchema,
  PoolEventsSchema,
  PoolsSchema,
  SwapsSchema,
} from "./exchangeSchema.ts";
import {
  EVENT_TYPE,
  EXCHANGES,
  FILTER,
  INTERVAL_PARAMETERS,
  PAGE_ITEMS,
  PAGE_NUM,
  PART,
  PART_ITEMS,
  POOL,
  parseIntervals,
  USER,
  userOf,
} from "./parameters.ts";
import { oneOf, parseExchanges, parseFilter, parseOptionalPage, parsePage, parsePool } from "./parse.ts";
import { CRITERIA, parseCriteria } from "./poolCriteria.ts";
import {
  presentCandle,
  presentLocked,
  presentPair,
  presentPool,
  presentPoolDetail,
  presentPoolEvent,
  presentSwap,
} from "./presentPool.ts";
import type { ExchangeContext, ExchangeRequest, ExchangeRoute } from "./route.ts";
import { DONE, expectFound } from "./route.ts";

export const POOL_ROUTES: readonly ExchangeRoute[] = [
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
    parameters: [FILTER, EXCHANGES, PAGE_NUM, PAGE_ITEMS, USER, ...CRITERIA],
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
      const pool = expectFound(await findPool(network, parsePool(parameter), userOf(query)));
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
      const address = parsePool(parameter);
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
      const { record, swaps, total } = expectFound(await listSwaps(network, parsePool(parameter), page));
      const meta = { count: swaps.length, page_num: page.page, page_size: page.pageSize, total };
      return { data: swaps.map((swap) => presentSwap(record, swap)), meta, ...DONE };
    },
  },
  {
    path: "/pools/{address}/events",
    summary:
      "a page of the [events](#pool-event) of a pool: swaps, liquidity added and removed, what was collected; newest first",
    parameters: [POOL, EVENT_TYPE, PAGE_NUM, PAGE_ITEMS],
    schema: PoolEventsSchema,
    serve: async ({ network }, { parameter, query }) => {
      const page = parsePage(query);
      const type = oneOf(query, "type", ["all", ...EVENT_TYPES], "all");
      const types = type === "all" ? EVENT_TYPES : [type];
      const address = parsePool(parameter);
      const { record, events, total } = expectFound(await listPoolEvents(network, address, { ...page, types }));
      const meta = { count: events.length, page_num: page.page, page_size: page.pageSize, total };
      return { data: events.map((event) => presentPoolEvent(record, event)), meta, ...DONE };
    },
  },
];

async function servePools({ network }: ExchangeContext, { query }: ExchangeRequest): Promise<object> {
  const filter = parseFilter(query);
  const { page, pageSize } = parsePage(query);
  const criteria = parseCriteria(query);
  const request = { page, pageSize, filter, exchanges: parseExchanges(query), user: userOf(query), ...criteria };
  const { pools, owned, total, sort: sortedBy } = await listPools(network, request);
  const sort = { sort_by: sortedBy, sort_order: criteria.isAscending ? "asc" : "desc" };
  const meta = { count: pools.length, page_num: page, page_size: pageSize, pool_type: filter, ...sort, total };
  return { data: pools.map((record) => presentPool(record, owned.has(record.pool.id))), meta, ...DONE };
}

async function serveCandles({ network }: ExchangeContext, { parameter, query }: ExchangeRequest): Promise<object> {
  const { record, candles } = expectFound(await listCandles(network, parsePool(parameter), parseIntervals(query)));
  return { data: candles.map((candle) => presentCandle(record, candle)), ...DONE };
}

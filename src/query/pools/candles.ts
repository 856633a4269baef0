import type { Hex } from "../../chain/encoding/hex.ts";
import { ChainError } from "../../chain/error.ts";
import type { Fraction } from "../../exchange/decimal.ts";
import { priceOfReserves } from "../../exchange/pool.ts";
import { Turn } from "../../std/async.ts";
import type { ReadSession } from "../../store/session.ts";
import type { StateAt } from "../../store/stages/exchange/exchangeRows.ts";
import type { PoolState, SwapPrice } from "../../store/stages/exchange/poolState.ts";
import { fractionOf, NO_STATE } from "../../store/stages/exchange/poolState.ts";
import type { QueryContext } from "../context.ts";
import type { ListedPool } from "../exchange/listedPools.ts";
import { priceOf } from "../exchange/valuedPools.ts";
import type { IndexedRange } from "../indexedRange.ts";
import type { IntervalRequest, RangeRequest } from "./intervals.ts";
import { readIntervals } from "./intervals.ts";
import type { PoolRecord } from "./poolRecords.ts";
import { readPool } from "./poolRecords.ts";

/** Prices in smallest units of token1 per unit of token0. */
export interface Candle {
  readonly timestamp: number;
  readonly open: Fraction;
  readonly high: Fraction;
  readonly low: Fraction;
  readonly close: Fraction;
  readonly volume0: bigint;
  readonly volume1: bigint;
  readonly swaps: number;
}

/** Periods without a trade have no candle. */
export interface CandleHistory {
  readonly record: PoolRecord;
  readonly candles: readonly Candle[];
  readonly step: number;
  readonly from: number;
  readonly to: number;
}

const MAX_ROWS = 50_000;
const BATCH_SIZE = 1000;

/** Oldest first; undefined if there is no such pool. */
export function listCandles(
  { exchange }: QueryContext,
  address: Hex,
  request: IntervalRequest | RangeRequest,
): Promise<CandleHistory | undefined> {
  return exchange.read(async (session, view) => {
    const record = await readPool(session, view, exchange.settings, address);
    if (record === undefined || view.range === undefined) return undefined;
    return { record, ...(await readCandles(session, view.range, record.pool, request)) };
  });
}

async function readCandles(
  session: ReadSession,
  range: IndexedRange,
  pool: ListedPool,
  request: IntervalRequest | RangeRequest,
): Promise<Omit<CandleHistory, "record">> {
  const { step, starts, blocks } = await readIntervals(session, range, request, pool.since);
  let budget = MAX_ROWS;
  let previous: PoolState = (await session.exchange.states([pool.id], blocks[0]! - 1)).get(pool.id) ?? NO_STATE;
  const candles: Candle[] = [];
  for (const [at, timestamp] of starts.entries()) {
    const rows = await readRows(session, pool.id, [blocks[at]!, blocks[at + 1]! - 1], budget);
    budget -= rows.length;
    const candle = candleOf(pool, timestamp, previous, rows);
    if (candle !== undefined) candles.push(candle);
    previous = rows.at(-1) ?? previous;
  }
  return { candles, step, from: starts[0]!, to: starts.at(-1)! + step };
}

async function readRows(
  session: ReadSession,
  pool: number,
  [from, to]: readonly [number, number],
  budget: number,
): Promise<StateAt[]> {
  const rows: StateAt[] = [];
  const turn = new Turn();
  for (let block = from; block <= to; ) {
    const some = await session.exchange.history(pool, block, to, BATCH_SIZE);
    rows.push(...some);
    if (rows.length > budget) throw new ChainError("limit_exceeded", `more than ${MAX_ROWS} changes of the pool`);
    if (some.length < BATCH_SIZE) break;
    block = some.at(-1)!.block + 1;
    await turn.yieldToEventLoop();
  }
  return rows;
}

/** Opens at the previous close. */
function candleOf(
  pool: ListedPool,
  timestamp: number,
  before: PoolState,
  rows: readonly StateAt[],
): Candle | undefined {
  const last = rows.at(-1);
  const prices = rows
    .flatMap((row) => [swapPriceOf(pool, row.high) ?? [], swapPriceOf(pool, row.low) ?? [], priceOf(pool, row) ?? []])
    .flat();
  const [first] = prices;
  const close = prices.at(-1);
  if (last === undefined || first === undefined || close === undefined) return undefined;
  const open = priceOf(pool, before) ?? first;
  const all = [open, ...prices];
  return {
    timestamp,
    open,
    high: all.reduce((one, other) => (isAbove(other, one) ? other : one)),
    low: all.reduce((one, other) => (isAbove(one, other) ? other : one)),
    close,
    volume0: last.volume0 - before.volume0,
    volume1: last.volume1 - before.volume1,
    swaps: last.swaps - before.swaps,
  };
}

/** The extremes of reserves are those of the slope of a stable curve, which rises with their ratio. */
function swapPriceOf({ type, curve }: ListedPool, price: SwapPrice | undefined): Fraction | undefined {
  if (price === undefined) return undefined;
  const isSloped = type === "stable" && price.sqrtPrice === undefined;
  return isSloped ? priceOfReserves({ type, curve }, price) : fractionOf(price);
}

function isAbove(one: Fraction, other: Fraction): boolean {
  return one.numerator * other.denominator > other.numerator * one.denominator;
}

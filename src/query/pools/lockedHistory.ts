import type { Hex } from "../../chain/encoding/hex.ts";
import type { Fraction } from "../../exchange/decimal.ts";
import type { PoolSnapshot } from "../../exchange/pool.ts";
import { valueLocked } from "../../exchange/value.ts";
import { Turn } from "../../std/async.ts";
import type { ReadSession } from "../../store/session.ts";
import type { QueryContext } from "../context.ts";
import { readAnchors } from "../exchange/anchors.ts";
import type { ExchangeSettings } from "../exchange/exchangeSettings.ts";
import type { ExchangeView } from "../exchange/exchangeView.ts";
import { eventBalances } from "../exchange/heldAmounts.ts";
import { pricingPools, readPastPools } from "../exchange/pastPools.ts";
import { priceInDollars, priceOf, sidesIn } from "../exchange/valuedPools.ts";
import type { IntervalRequest, RangeRequest } from "./intervals.ts";
import { readIntervals } from "./intervals.ts";
import type { PoolRecord } from "./poolRecords.ts";
import { readPool } from "./poolRecords.ts";

export interface LockedPoint {
  readonly timestamp: number;
  readonly balance0: bigint;
  readonly balance1: bigint;
  /** In units of 1 / SCALE dollars at the prices of that time; 0 if unknown. */
  readonly locked: bigint;
  /** In quote tokens at the pool's own price of that time. */
  readonly inQuote: bigint;
}

interface LockedHistory {
  readonly record: PoolRecord;
  readonly points: readonly LockedPoint[];
  readonly step: number;
}

/**
 * Oldest first; undefined if there is no such pool. Current holdings are reported by the tokens, past ones by events.
 * Past prices use the pools that set prices today.
 */
export function listLocked(
  { exchange }: QueryContext,
  address: Hex,
  request: IntervalRequest | RangeRequest,
): Promise<LockedHistory | undefined> {
  return exchange.read(async (session, view) => {
    const record = await readPool(session, view, exchange.settings, address);
    if (record === undefined || view.range === undefined) return undefined;
    const { step, starts, blocks } = await readIntervals(session, view.range, request, record.pool.since);
    const past = await openPast(session, view, exchange.settings, record);
    const points: LockedPoint[] = [];
    const turn = new Turn();
    let [held, heldAt] = [heldNow(record), view.range.tip.number];
    for (const [at, timestamp] of starts.entries()) {
      const block = blocks[at + 1]! - 1;
      if (block < record.pool.since) continue;
      if (block !== heldAt) held = block === view.range.tip.number ? heldNow(record) : await past(block);
      heldAt = block;
      points.push({ timestamp, ...held });
      await turn.yieldToEventLoop();
    }
    return { record, points, step };
  });
}

type Point = Omit<LockedPoint, "timestamp">;

function heldNow(record: PoolRecord): Point {
  const { balance0, balance1, locked, price } = record.figures;
  return { balance0, balance1, locked, inQuote: worthInQuote(record, { balance0, balance1 }, price) };
}

async function openPast(
  session: ReadSession,
  view: ExchangeView,
  settings: ExchangeSettings,
  record: PoolRecord,
): Promise<(block: number) => Promise<Point>> {
  const { pool } = record;
  const anchors = await readAnchors(session, view, settings);
  const sources = pricingPools(view, [pool.token0.pricedAs, pool.token1.pricedAs], anchors);
  const read = [...sources, ...(sources.includes(pool) ? [] : [pool])];
  return async (block) => {
    const { now, snapshots } = await readPastPools(session, view.range, read, block);
    const state = now.states.get(pool.id);
    if (state === undefined) return { balance0: 0n, balance1: 0n, locked: 0n, inQuote: 0n };
    const held = eventBalances(pool, state);
    const prices = await priceInDollars(snapshots.slice(0, sources.length), anchors, settings);
    const locked = valueLocked(pool.type, held, sidesIn(prices, pool));
    return { ...held, locked, inQuote: worthInQuote(record, held, priceOf(pool, state)) };
  };
}

function worthInQuote(
  { token0, base }: PoolRecord,
  { balance0, balance1 }: Pick<PoolSnapshot, "balance0" | "balance1">,
  price: Fraction | undefined,
): bigint {
  if (price === undefined) return 0n;
  const { numerator, denominator } = price;
  return base === token0
    ? balance1 + (balance0 * numerator) / denominator
    : balance0 + (balance1 * denominator) / numerator;
}

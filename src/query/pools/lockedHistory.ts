import type { Hex } from "../../chain/encoding/hex.ts";
import type { Fraction } from "../../exchange/decimal.ts";
import type { PoolSnapshot } from "../../exchange/pool.ts";
import { valueLocked } from "../../exchange/value.ts";
import { Turn } from "../../std/async.ts";
import type { ReadSession } from "../../store/session.ts";
import type { StateAt } from "../../store/stages/exchange/exchangeRows.ts";
import type { QueryContext } from "../context.ts";
import type { KnownAnchors } from "../exchange/anchors.ts";
import { readAnchors } from "../exchange/anchors.ts";
import type { ExchangeSettings } from "../exchange/exchangeSettings.ts";
import type { ExchangeView } from "../exchange/exchangeView.ts";
import { eventBalances } from "../exchange/heldAmounts.ts";
import type { ListedPool } from "../exchange/listedPools.ts";
import type { PoolStates } from "../exchange/poolStates.ts";
import { NO_STATES } from "../exchange/poolStates.ts";
import type { PoolWindow } from "../exchange/poolWindow.ts";
import { STEADY_BLOCKS } from "../exchange/poolWindow.ts";
import { priceInDollars, priceOf, sidesIn, snapshotPast } from "../exchange/valuedPools.ts";
import { stepsOf } from "./exchangeTokens.ts";
import type { IntervalRequest } from "./intervals.ts";
import { readIntervals } from "./intervals.ts";
import type { PoolRecord } from "./poolPages.ts";
import { readPool } from "./poolPages.ts";

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
}

/**
 * Oldest first; undefined if there is no such pool. Current holdings are reported by the tokens, past ones by events.
 * Past prices use the pools that set prices today.
 */
export function listLocked(
  { exchange }: QueryContext,
  address: Hex,
  request: IntervalRequest,
): Promise<LockedHistory | undefined> {
  return exchange.read(async (session, view) => {
    const record = await readPool(session, view, exchange.settings, address);
    if (record === undefined || view.range === undefined) return undefined;
    const { starts, blocks } = await readIntervals(session, view.range, request);
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
    return { record, points };
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
  const sources = pricingPools(view, pool, anchors);
  const ids = [...new Set([pool.id, ...sources.map(({ id }) => id)])];
  const read = async (block: number) =>
    view.range === undefined || block < view.range.first
      ? NO_STATES
      : { block, states: await session.exchange.states(ids, block) };
  return async (block) => {
    const now = await read(block);
    const state = now.states.get(pool.id);
    if (state === undefined) return { balance0: 0n, balance1: 0n, locked: 0n, inQuote: 0n };
    const start = await read(block - STEADY_BLOCKS);
    const window: PoolWindow = { block, start, changes: await readChanges(session, now) };
    const snapshots = sources.map((source) => snapshotPast(source, now, window));
    const held = eventBalances(pool.type, state);
    const locked = valueLocked(pool.type, held, sidesIn(priceInDollars(snapshots, anchors, settings), pool));
    return { ...held, locked, inQuote: worthInQuote(record, held, priceOf(pool.type, state)) };
  };
}

/** State changes within the window that ends with these states. */
async function readChanges(session: ReadSession, { block, states }: PoolStates): Promise<PoolWindow["changes"]> {
  const oldest = block - STEADY_BLOCKS + 1;
  const changes = new Map<number, readonly StateAt[]>();
  for (const state of states.values()) {
    if (state.block < oldest) continue;
    changes.set(state.pool, await session.exchange.history(state.pool, oldest, block, STEADY_BLOCKS));
  }
  return changes;
}

/** Pools on the price routes of both tokens, and those that price the native coin. */
function pricingPools(view: ExchangeView, { token0, token1 }: ListedPool, { stables, native }: KnownAnchors) {
  const isAnchor = (number: number) => stables.has(number) || number === native?.token;
  const routes = [token0, token1].flatMap(({ number }) => stepsOf(view, number).map(({ pool }) => pool.id));
  const passed = new Set(routes);
  return view.listing.pools.filter(
    (pool) => passed.has(pool.id) || (pool.isNamed && isAnchor(pool.token0.number) && isAnchor(pool.token1.number)),
  );
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

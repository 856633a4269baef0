import { ChainError } from "../../chain/error.ts";
import type { PriceTable } from "../../exchange/priceTable.ts";
import { anchorsHeld, valueTraded } from "../../exchange/value.ts";
import { defined } from "../../std/values.ts";
import type { ReadSession } from "../../store/session.ts";
import { NO_STATE } from "../../store/stages/exchange/poolState.ts";
import type { Range, Timeline } from "../timeline.ts";
import { readTimeline } from "../timeline.ts";
import type { KnownAnchors } from "./anchors.ts";
import { readAnchors } from "./anchors.ts";
import type { Exchange } from "./exchange.ts";
import type { ExchangeView } from "./exchangeView.ts";
import type { PeriodValue } from "./knownPeriods.ts";
import { readPastPools } from "./pastPools.ts";
import type { PoolStates } from "./poolStates.ts";
import { moveStates, NO_STATES } from "./poolStates.ts";
import { priceInDollars, sidesIn } from "./valuedPools.ts";

export interface MarketPeriod {
  readonly start: number;
  /** Undefined while not computed. */
  readonly value: PeriodValue | undefined;
}

interface MarketHistory {
  readonly step: number;
  readonly periods: readonly MarketPeriod[];
}

/** States of pools that a request reads at most. */
const MAX_STATES = 10_000;

/** Undefined without prices in dollars. */
export async function listMarketHistory(exchange: Exchange, range: Range): Promise<MarketHistory | undefined> {
  if (exchange.settings.stables.length === 0) return undefined;
  try {
    return await exchange.read(async (session, view) => {
      if (view.range === undefined || view.listing.pools.length === 0) return undefined;
      const timeline = await readTimeline(session, view.range, range);
      const { step, starts } = timeline;
      const values = await readValues(session, exchange, view, timeline);
      return { step, periods: starts.map((start, at) => ({ start, value: values[at] })) };
    });
  } catch (error) {
    if (error instanceof ChainError && error.code === "stage_behind") return undefined;
    throw error;
  }
}

async function readValues(
  session: ReadSession,
  { settings, known }: Exchange,
  view: ExchangeView,
  { starts, blocks }: Timeline,
): Promise<(PeriodValue | undefined)[]> {
  const { pools } = view.listing;
  const stamps = await session.blocks.stamps(blocks.slice(1).map((number) => number - 1));
  const anchors = await readAnchors(session, view, settings);
  const read = readerOf(session, view, anchors, settings);
  const values: (PeriodValue | undefined)[] = starts.map(() => undefined);
  let budget = MAX_STATES;
  for (let at = starts.length - 1; at >= 0; at--) {
    const [before, last] = [blocks[at]! - 1, blocks[at + 1]! - 1];
    const hash = stamps.get(last)?.hash;
    const key = `${before} ${last}`;
    values[at] = hash && known.find(key, hash, pools.length);
    if (values[at] !== undefined || hash === undefined || budget <= 0) continue;
    const value = await read(before, last);
    values[at] = value;
    known.keep(key, hash, pools.length, value);
    budget -= 3 * pools.length;
  }
  return values;
}

function readerOf(
  session: ReadSession,
  view: ExchangeView,
  anchors: KnownAnchors,
  settings: Exchange["settings"],
): (before: number, last: number) => Promise<PeriodValue> {
  const { pools } = view.listing;
  const { first, tip } = defined(view.range);
  return async (before, last) => {
    const then = before < first ? NO_STATES : await moveStates(session, NO_STATES, before, pools, new Set());
    if (last === tip.number) {
      const traded = tradedBetween(view, then, view.now, view.valued.dollars);
      return { locked: view.valued.anchored, traded };
    }
    const { now, snapshots } = await readPastPools(session, view.range, pools, last);
    const trusted = snapshots.filter((_, at) => pools[at]!.isNamed);
    const prices = await priceInDollars(trusted, anchors, settings);
    const held = pools.map((pool, at) => anchorsHeld(snapshots[at]!, sidesIn(prices, pool)));
    return {
      locked: held.reduce((sum, one) => sum + one, 0n),
      traded: tradedBetween(view, then, now, prices),
    };
  };
}

/** An exchange that nobody named may report fake trades. */
function tradedBetween({ listing }: ExchangeView, before: PoolStates, after: PoolStates, prices: PriceTable): bigint {
  return listing.pools.reduce((sum, pool) => {
    if (!pool.isNamed) return sum;
    const [then, now] = [before, after].map(({ states }) => states.get(pool.id) ?? NO_STATE);
    return sum + valueTraded(now!.volume0 - then!.volume0, now!.volume1 - then!.volume1, sidesIn(prices, pool));
  }, 0n);
}

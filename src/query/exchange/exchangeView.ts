import { equalBytes } from "../../chain/encoding/bytes.ts";
import { ChainError } from "../../chain/error.ts";
import { Turn } from "../../std/async.ts";
import type { ReadSession } from "../../store/session.ts";
import type { IndexedRange } from "../indexedRange.ts";
import { readIndexedRange } from "../indexedRange.ts";
import { readTokenRange } from "../stageRanges.ts";
import type { ExchangeSettings } from "./exchangeSettings.ts";
import type { ListedPool } from "./listedPools.ts";
import { NO_POOLS, readListing } from "./listedPools.ts";
import { withPairFees } from "./pairFees.ts";
import { moveBalances, NO_BALANCES } from "./poolBalances.ts";
import type { PoolHistory } from "./poolHistory.ts";
import type { PoolStates } from "./poolStates.ts";
import { MAX_FOLLOWED, moveStates, NO_STATES } from "./poolStates.ts";
import type { PoolWindow } from "./poolWindow.ts";
import { moveChanges, NO_WINDOW, STEADY_BLOCKS } from "./poolWindow.ts";
import { withCurves } from "./stablePools.ts";
import type { ValuedPools } from "./valuedPools.ts";
import { valuePools } from "./valuedPools.ts";

const HOUR = 3600;
const DAY = 86_400;

/** Immutable snapshot of all pools and their values after a block. */
export interface ExchangeView extends PoolHistory {
  readonly valued: ValuedPools;
}

const EMPTY = {
  range: undefined,
  listing: NO_POOLS,
  now: NO_STATES,
  window: NO_WINDOW,
  dayWindow: NO_WINDOW,
  day: NO_STATES,
  twoDays: NO_STATES,
  balances: NO_BALANCES,
  marks: { h1: -1, h6: -1, d7: -1, d30: -1 },
} as const;

/** Derived incrementally from the previous view if it is on the same chain. */
export async function moveView(
  session: ReadSession,
  last: ExchangeView | undefined,
  settings: ExchangeSettings,
): Promise<ExchangeView> {
  const range = await readExchangeRange(session);
  const before: PoolHistory = last !== undefined && (await continues(session, last)) ? last : { ...EMPTY, lineage: {} };
  const blocks = await blocksOf(session, range);
  // Observations of a block may be written after it was read.
  const observed = await session.exchange.observed(before.now.block, blocks.now);
  const isFar = before.now.block < 0 || blocks.now - before.now.block > MAX_FOLLOWED;
  const used = isFar ? [] : await session.exchange.touched(before.now.block + 1, blocks.now);
  const listed = isFar ? NO_POOLS : before.listing;
  const listing = await readListing(session, listed, settings, { observed, used });
  const isKnown = ({ id }: ListedPool) => before.listing.ids.has(id);
  const fresh = new Set(listing.pools.filter((pool) => !isKnown(pool)).map(({ id }) => id));
  const turn = new Turn();
  const move = async (states: PoolStates, block: number) => {
    await turn.yieldToEventLoop();
    return moveStates(session, states, block, listing.pools, fresh);
  };
  const moveWindow = async (window: PoolWindow, block: number): Promise<PoolWindow> => ({
    block,
    start: await move(window.start, startOf(block, range)),
    changes: await moveChanges(session, window, block),
  });
  const states = {
    now: await move(before.now, blocks.now),
    window: await moveWindow(before.window, blocks.now),
    dayWindow: await moveWindow(before.dayWindow, blocks.day),
    day: await move(before.day, blocks.day),
    twoDays: await move(before.twoDays, blocks.twoDays),
  };
  await turn.yieldToEventLoop();
  const balances = await moveBalances(session, before.balances, blocks.now, listing, observed);
  const changed = new Set([...fresh, ...observed, ...used]);
  const curved = await withCurves(session, listing, balances, ({ id }) => isFar || changed.has(id));
  const view: PoolHistory = {
    lineage: before.lineage,
    range,
    listing: await withPairFees(curved, states.now),
    ...states,
    balances,
    marks: blocks.marks,
  };
  return { ...view, valued: await valuePools(session, view, settings) };
}

/** Undefined if a stage is behind. */
async function readExchangeRange(session: ReadSession): Promise<IndexedRange | undefined> {
  const [range, block] = [await readTokenRange(session), await session.exchange.tip()];
  if (range?.tip.number === block) return range;
  const height = range?.tip.number;
  throw new ChainError(
    "stage_behind",
    block === undefined
      ? `Exchanges are not indexed yet, or left out by --no-tokens. The index is at block ${height}.`
      : `Exchanges are indexed up to block ${block} of ${height}.`,
  );
}

/** Whether the previous range is a prefix of the current one. */
async function continues(session: ReadSession, { range }: ExchangeView): Promise<boolean> {
  const now = await readIndexedRange(session);
  if (range === undefined || now === undefined || range.first !== now.first) return false;
  const then = await session.blocks.byNumber(range.tip.number);
  return then !== undefined && equalBytes(then.header.hash, range.tip.hash);
}

/** Last blocks before the windows; -1 if there is none. */
async function blocksOf(session: ReadSession, range: IndexedRange | undefined) {
  if (range === undefined) return { now: -1, day: -1, twoDays: -1, marks: EMPTY.marks };
  const { number, timestamp } = range.tip;
  const times = [30 * DAY, 7 * DAY, 2 * DAY, DAY, 6 * HOUR, HOUR].map((seconds) => timestamp - seconds);
  const after = await session.blocks.firstAfterEach(times, range.first, number + 1);
  const before = after.map((block) => (block - 1 < range.first ? -1 : block - 1));
  const [d30, d7, twoDays, day, h6, h1] = before as [number, number, number, number, number, number];
  return { now: number, day, twoDays, marks: { h1, h6, d7, d30 } };
}

/** Block before the window; -1 if the index does not reach as far. */
function startOf(block: number, range: IndexedRange | undefined): number {
  const start = block - STEADY_BLOCKS;
  return range === undefined || start < range.first ? -1 : start;
}

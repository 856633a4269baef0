import type { PoolType } from "../../chain/exchange/exchangeFields.ts";
import { isPairType, POOL_TYPES } from "../../chain/exchange/exchangeFields.ts";
import type { Fraction } from "../../exchange/decimal.ts";
import type { PoolSnapshot } from "../../exchange/pool.ts";
import { priceOfReserves } from "../../exchange/pool.ts";
import type { Anchors } from "../../exchange/prices.ts";
import { SCALE } from "../../exchange/prices.ts";
import type { PriceTable } from "../../exchange/priceTable.ts";
import { NO_PRICES, priceTableInTurns, sidesOf } from "../../exchange/priceTable.ts";
import type { Side } from "../../exchange/value.ts";
import { anchorsHeld, valueLocked } from "../../exchange/value.ts";
import { mapInTurns, sortInTurns } from "../../std/async.ts";
import type { ReadSession } from "../../store/session.ts";
import type { PoolState } from "../../store/stages/exchange/poolState.ts";
import type { KnownAnchors } from "./anchors.ts";
import { readAnchors } from "./anchors.ts";
import type { ExchangeSettings } from "./exchangeSettings.ts";
import type { Held } from "./heldAmounts.ts";
import { eventBalances, heldNow, NOTHING } from "./heldAmounts.ts";
import type { ListedPool, Listing } from "./listedPools.ts";
import type { PoolHistory } from "./poolHistory.ts";
import type { PoolStates } from "./poolStates.ts";
import type { PoolWindow } from "./poolWindow.ts";
import { believedQuote } from "./poolWindow.ts";

/** `all` are those of the specification, `any` pools of other kinds too. */
export type PoolFilter = "all" | PoolType | "any";

const isSpecified = (type: PoolType): boolean => type === "v2" || type === "v3";

export function isOfFilter(filter: PoolFilter, { type }: ListedPool): boolean {
  return filter === "any" || (filter === "all" ? isSpecified(type) : type === filter);
}

/** `known`: configured, or with the code of a known exchange. */
export type ExchangeFilter = "all" | "known";

export interface ValuedPool {
  readonly pool: ListedPool;
  /** In units of 1 / SCALE dollars; 0 if unknown. */
  readonly locked: bigint;
}

export interface ValuedPools {
  readonly dollars: PriceTable;
  /** In the native coin, for pools without a dollar price. */
  readonly coins: PriceTable;
  readonly before: { readonly dollars: PriceTable; readonly coins: PriceTable };
  readonly order: Readonly<Record<ExchangeFilter, Readonly<Record<PoolFilter, readonly ValuedPool[]>>>>;
  /** Anchors held by all pools, in units of 1 / SCALE dollars. */
  readonly anchored: bigint;
}

type States = Pick<PoolHistory, "listing" | "now" | "window" | "day" | "dayWindow" | "balances">;

export async function valuePools(session: ReadSession, view: States, settings: ExchangeSettings): Promise<ValuedPools> {
  const anchors = await readAnchors(session, view, settings);
  const { pools } = view.listing;
  const now = await mapInTurns(pools, (pool) => snapshotNow(pool, view));
  const tables = await priceTables(trusted(now, view.listing), anchors, settings);
  const then = await mapInTurns(pools, (pool) => snapshotPast(pool, view.day, view.dayWindow));
  const before = await priceTables(trusted(then, view.listing), anchors, settings);
  const { order, anchored } = await orderPools(view, now, tables);
  return { ...tables, before, order, anchored };
}

function trusted(snapshots: readonly PoolSnapshot[], { pools }: Listing): PoolSnapshot[] {
  return snapshots.filter((_, at) => pools[at]!.setsPrice);
}

async function priceTables(snapshots: readonly PoolSnapshot[], anchors: KnownAnchors, settings: ExchangeSettings) {
  const dollars = await priceInDollars(snapshots, anchors, settings);
  const { native } = anchors;
  if (native === undefined) return { dollars, coins: NO_PRICES };
  const inCoins: Anchors = { fixed: new Map([[native.token, native.unit]]), native: undefined };
  return { dollars, coins: await priceTableInTurns(snapshots, inCoins, deepFrom(0)) };
}

const inDollars = ({ stables, native }: KnownAnchors): Anchors => ({ fixed: stables, native: native?.token });
const deepFrom = (dollars: number) => ({ minimumDepth: BigInt(dollars) * SCALE });

export function priceInDollars(
  snapshots: readonly PoolSnapshot[],
  anchors: KnownAnchors,
  { priceDepth }: ExchangeSettings,
): Promise<PriceTable> {
  return priceTableInTurns(snapshots, inDollars(anchors), deepFrom(priceDepth));
}

function snapshotNow(pool: ListedPool, view: States): PoolSnapshot {
  return snapshotOf(pool, view.window, view.now.states.get(pool.id), heldNow(pool, view));
}

/** Past holdings follow from events. */
export function snapshotPast(pool: ListedPool, now: PoolStates, window: PoolWindow): PoolSnapshot {
  const state = now.states.get(pool.id);
  return snapshotOf(pool, window, state, state === undefined ? NOTHING : eventBalances(pool, state));
}

function snapshotOf(pool: ListedPool, window: PoolWindow, state: PoolState | undefined, held: Held): PoolSnapshot {
  const quote = believedQuote(pool, window, state, held);
  return { id: pool.id, token0: pool.token0.pricedAs, token1: pool.token1.pricedAs, ...held, quote };
}

export function priceOf({ type, curve }: Pick<ListedPool, "type" | "curve">, state: PoolState): Fraction | undefined {
  if (isPairType(type)) return priceOfReserves({ type, curve }, state);
  return state.sqrtPrice > 0n ? { numerator: state.sqrtPrice ** 2n, denominator: 1n << 192n } : undefined;
}

export function sidesIn(table: PriceTable, { token0, token1 }: ListedPool): readonly [Side, Side] {
  return sidesOf({ token0: token0.pricedAs, token1: token1.pricedAs }, table);
}

/** By dollars, coins, transactions of the day, age; a total order. */
async function orderPools(
  { listing, now, day }: States,
  snapshots: readonly PoolSnapshot[],
  { dollars, coins }: Pick<ValuedPools, "dollars" | "coins">,
): Promise<Pick<ValuedPools, "order" | "anchored">> {
  let anchored = 0n;
  const keyed = await mapInTurns(listing.pools, (pool, at) => {
    const { type, id } = pool;
    const sides = sidesIn(dollars, pool);
    const locked = valueLocked(type, snapshots[at]!, sides);
    const inCoins = locked > 0n ? 0n : valueLocked(type, snapshots[at]!, sidesIn(coins, pool));
    const transactions = (now.states.get(id)?.transactions ?? 0) - (day.states.get(id)?.transactions ?? 0);
    anchored += anchorsHeld(snapshots[at]!, sides);
    // Comparing nearest numbers first is faster than comparing bigints.
    return { pool, locked, near: Number(locked), inCoins, transactions };
  });
  const sorted = await sortInTurns(
    keyed,
    (one, other) =>
      other.near - one.near ||
      descending(one.locked, other.locked) ||
      descending(one.inCoins, other.inCoins) ||
      other.transactions - one.transactions ||
      one.pool.position - other.pool.position,
  );
  const all = sorted.map(({ pool, locked }) => ({ pool, locked }));
  const known = all.filter(({ pool }) => pool.isNamed);
  return { order: { all: byType(all), known: byType(known) }, anchored };
}

function byType(all: readonly ValuedPool[]): Readonly<Record<PoolFilter, readonly ValuedPool[]>> {
  const of = (filter: PoolFilter) => all.filter(({ pool }) => isOfFilter(filter, pool));
  const ofTypes = Object.fromEntries(POOL_TYPES.map((type) => [type, of(type)])) as Record<PoolType, ValuedPool[]>;
  return { ...ofTypes, all: of("all"), any: all };
}

function descending(one: bigint, other: bigint): number {
  return one === other ? 0 : one > other ? -1 : 1;
}

import { setImmediate as others } from "node:timers/promises";
import type { Fraction } from "../../exchange/decimal.ts";
import { unitsOf } from "../../exchange/decimal.ts";
import type { PoolQuote, PoolSnapshot } from "../../exchange/pool.ts";
import { quoteLiquidity, quoteReserves, steadyQuote } from "../../exchange/pool.ts";
import type { Anchors, TokenPrice } from "../../exchange/prices.ts";
import { findPrices, SCALE } from "../../exchange/prices.ts";
import type { Side } from "../../exchange/value.ts";
import { valueLocked } from "../../exchange/value.ts";
import { mapInTurns } from "../../std/turn.ts";
import type { PoolState } from "../../store/exchange/poolState.ts";
import type { ReadSession } from "../../store/session.ts";
import type { ExchangeSettings } from "./exchangeSettings.ts";
import type { ListedPool, ListedToken, Listing } from "./listedPools.ts";
import type { PoolHistory } from "./poolHistory.ts";
import type { PoolStates } from "./poolStates.ts";

/** Prices by the numbers of tokens, and which of them are anchors. */
export interface PriceTable {
  readonly prices: ReadonlyMap<number, TokenPrice>;
  readonly anchors: ReadonlySet<number>;
}

export type PoolFilter = "all" | "v2" | "v3";

/** A pool with what it is sorted by. */
export interface ValuedPool {
  readonly pool: ListedPool;
  /** In US dollars of `SCALE`; 0 where nothing is worth one. */
  readonly locked: bigint;
}

/** What tokens and pools are worth after a block. */
export interface ValuedPools {
  /** In US dollars. */
  readonly dollars: PriceTable;
  /** In the native coin, for what has no price in dollars. */
  readonly coins: PriceTable;
  /** The same a day before, for changes. */
  readonly before: { readonly dollars: PriceTable; readonly coins: PriceTable };
  /** The pools with the highest value first. */
  readonly order: Readonly<Record<PoolFilter, readonly ValuedPool[]>>;
  /** What all pools hold, in US dollars of `SCALE`. */
  readonly locked: bigint;
}

type States = Pick<PoolHistory, "listing" | "now" | "steady" | "day" | "balances">;

export async function valuePools(session: ReadSession, view: States, settings: ExchangeSettings): Promise<ValuedPools> {
  const anchors = await readAnchors(session, view, settings);
  const { pools } = view.listing;
  const now = await mapInTurns(pools, (pool) => snapshotNow(pool, view));
  const tables = await priceTables(trusted(now, view.listing), anchors, settings);
  const then = await mapInTurns(pools, (pool) => snapshotThen(pool, view.day));
  const before = await priceTables(trusted(then, view.listing), anchors, settings);
  const order = await orderPools(view, now, tables);
  return { ...tables, before, order, locked: order.all.reduce((sum, { locked }) => sum + locked, 0n) };
}

/** The word of a factory that nobody configured is not taken for a price. */
function trusted(snapshots: readonly PoolSnapshot[], { pools }: Listing): PoolSnapshot[] {
  return snapshots.filter((_, at) => pools[at]!.isNamed);
}

/** The value of a smallest unit of each stable token, and the token that wraps the native coin. */
export interface KnownAnchors {
  readonly stables: ReadonlyMap<number, bigint>;
  readonly native: { readonly token: number; readonly unit: bigint } | undefined;
}

/** Without its decimals nobody knows what a whole token is. */
export async function readAnchors(
  session: ReadSession,
  { listing, balances }: Pick<States, "listing" | "balances">,
  { stables, wrappedCoin }: ExchangeSettings,
): Promise<KnownAnchors> {
  const listed = [...stables, ...(wrappedCoin === undefined ? [] : [wrappedCoin])].flatMap((hex) => {
    const token = listing.tokensByHex.get(hex);
    const id = balances.ids.get(hex);
    return token === undefined || id === undefined ? [] : [{ token, id }];
  });
  const known = await session.tokens.byId(listed.map(({ id }) => id));
  const units = new Map(
    listed.flatMap(({ token, id }) => {
      const decimals = known.get(id)?.seen?.decimals ?? undefined;
      return decimals === undefined || decimals > MOST_DECIMALS
        ? []
        : [[token.hex, SCALE / unitsOf(decimals)] as const];
    }),
  );
  const numberOf = (hex: ListedToken["hex"]) => listing.tokensByHex.get(hex)!.number;
  const unit = wrappedCoin === undefined ? undefined : units.get(wrappedCoin);
  const worth = stables.flatMap((hex) => (units.has(hex) ? [[numberOf(hex), units.get(hex)!] as const] : []));
  return { stables: new Map(worth), native: unit === undefined ? undefined : { token: numberOf(wrappedCoin!), unit } };
}

/** A smallest unit of more decimals is worth nothing that could be told. */
const MOST_DECIMALS = 60;

/** Each table is found at once; between them others have their turn. */
async function priceTables(snapshots: readonly PoolSnapshot[], anchors: KnownAnchors, settings: ExchangeSettings) {
  const dollars = priceInDollars(snapshots, anchors, settings);
  await others();
  const coins = anchors.native === undefined ? NO_PRICES : priceInCoins(snapshots, anchors.native);
  await others();
  return { dollars, coins };
}

export function priceInDollars(
  snapshots: readonly PoolSnapshot[],
  { stables, native }: KnownAnchors,
  { priceDepth }: ExchangeSettings,
): PriceTable {
  const inDollars: Anchors = { fixed: stables, native: native?.token };
  const prices = findPrices(snapshots, inDollars, { minimumDepth: BigInt(priceDepth) * SCALE });
  const anchors = new Set(stables.keys());
  if (native !== undefined && prices.has(native.token)) anchors.add(native.token);
  return { prices, anchors };
}

const NO_PRICES: PriceTable = { prices: new Map(), anchors: new Set() };

function priceInCoins(snapshots: readonly PoolSnapshot[], { token, unit }: NonNullable<KnownAnchors["native"]>) {
  const prices = findPrices(snapshots, { fixed: new Map([[token, unit]]), native: undefined }, { minimumDepth: 0n });
  return { prices, anchors: new Set([token]) };
}

function snapshotNow(pool: ListedPool, { now, steady, balances }: States): PoolSnapshot {
  const [balance0, balance1] = balances.held.get(pool.id) ?? [0n, 0n];
  return believe(pool, now, steady, { balance0, balance1 });
}

/** After an earlier block. */
export function snapshotPast(pool: ListedPool, now: PoolStates, steady: PoolStates): PoolSnapshot {
  const state = now.states.get(pool.id);
  return believe(pool, now, steady, state === undefined ? NOTHING : toldBalances(pool.type, state));
}

type Held = Pick<PoolSnapshot, "balance0" | "balance1">;

const NOTHING: Held = { balance0: 0n, balance1: 0n };

/** An index that is younger than what prices must last has nothing to compare them with. */
function believe({ id, type, token0, token1 }: ListedPool, now: PoolStates, steady: PoolStates, held: Held) {
  const [state, before] = [now.states.get(id), steady.states.get(id)];
  const quote = state && quoteOf(type, state, held);
  const old = before && quoteOf(type, before, toldBalances(type, before));
  const believed = steady.block < 0 ? quote : steadyQuote(quote, old);
  return { id, token0: token0.number, token1: token1.number, ...held, quote: believed };
}

/** Of what pools held before, their own events tell. */
function snapshotThen({ id, type, token0, token1 }: ListedPool, { states }: PoolStates): PoolSnapshot {
  const state = states.get(id);
  const held = state === undefined ? NOTHING : toldBalances(type, state);
  const quote = state && quoteOf(type, state, held);
  return { id, token0: token0.number, token1: token1.number, ...held, quote };
}

/** What a pool holds by its own events: what was sent to it without one is not in it. */
export function toldBalances(type: ListedPool["type"], state: PoolState): Held {
  if (type === "v2") return { balance0: state.reserve0, balance1: state.reserve1 };
  return { balance0: atLeast0(state.amount0), balance1: atLeast0(state.amount1) };
}

function atLeast0(amount: bigint): bigint {
  return amount < 0n ? 0n : amount;
}

function quoteOf(type: ListedPool["type"], state: PoolState, held: Held): PoolQuote | undefined {
  return type === "v2" ? quoteReserves(state, held) : quoteLiquidity(state, held);
}

/** Smallest units of token1 for one of token0; undefined where the pool has no price. */
export function priceOf(type: ListedPool["type"], state: PoolState): Fraction | undefined {
  if (type === "v2") {
    const isPriced = state.reserve0 > 0n && state.reserve1 > 0n;
    return isPriced ? { numerator: state.reserve1, denominator: state.reserve0 } : undefined;
  }
  return state.sqrtPrice > 0n ? { numerator: state.sqrtPrice ** 2n, denominator: 1n << 192n } : undefined;
}

export function sidesOf({ token0, token1 }: ListedPool, { prices, anchors }: PriceTable): readonly [Side, Side] {
  const side = ({ number }: ListedToken) => ({ price: prices.get(number), isAnchor: anchors.has(number) });
  return [side(token0), side(token1)];
}

/** By value in dollars, then in coins, then by transactions of the day, then the older first; none are equal. */
async function orderPools(
  { listing, now, day }: States,
  snapshots: readonly PoolSnapshot[],
  { dollars, coins }: Pick<ValuedPools, "dollars" | "coins">,
): Promise<ValuedPools["order"]> {
  const keyed = await mapInTurns(listing.pools, (pool, at) => {
    const { type, id } = pool;
    const locked = valueLocked(type, snapshots[at]!, sidesOf(pool, dollars));
    const inCoins = locked > 0n ? 0n : valueLocked(type, snapshots[at]!, sidesOf(pool, coins));
    const transactions = (now.states.get(id)?.transactions ?? 0) - (day.states.get(id)?.transactions ?? 0);
    return { pool, locked, inCoins, transactions };
  });
  await others();
  keyed.sort(
    (one, other) =>
      descending(one.locked, other.locked) ||
      descending(one.inCoins, other.inCoins) ||
      other.transactions - one.transactions ||
      one.pool.position - other.pool.position,
  );
  const all = keyed.map(({ pool, locked }) => ({ pool, locked }));
  const ofType = (type: ListedPool["type"]) => all.filter(({ pool }) => pool.type === type);
  return { all, v2: ofType("v2"), v3: ofType("v3") };
}

function descending(one: bigint, other: bigint): number {
  return one === other ? 0 : one > other ? -1 : 1;
}

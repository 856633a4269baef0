import { isSingleton } from "../../chain/exchange/exchangeFields.ts";
import type { Fraction } from "../../exchange/decimal.ts";
import { SCALE } from "../../exchange/prices.ts";
import type { PriceTable } from "../../exchange/priceTable.ts";
import type { Side } from "../../exchange/value.ts";
import { valueLocked, valueTraded, worth } from "../../exchange/value.ts";
import { min } from "../../std/numbers.ts";
import type { PoolState } from "../../store/stages/exchange/poolState.ts";
import { NO_STATE, PROTOCOL_UNIT } from "../../store/stages/exchange/poolState.ts";
import type { ExchangeView } from "../exchange/exchangeView.ts";
import type { Held } from "../exchange/heldAmounts.ts";
import { eventBalances, heldNow } from "../exchange/heldAmounts.ts";
import type { ListedPool } from "../exchange/listedPools.ts";
import { priceOf, sidesIn } from "../exchange/valuedPools.ts";
import { changingFees, hasChangingFees } from "./changingFees.ts";

/** Figures of the last day in units of 1 / SCALE dollars; 0 if unknown. */
export interface PoolFigures {
  readonly balance0: bigint;
  readonly balance1: bigint;
  /** Smallest units of token1 per unit of token0. */
  readonly price: Fraction | undefined;
  readonly locked: bigint;
  readonly volume0: bigint;
  readonly volume1: bigint;
  readonly traded: bigint;
  readonly fees: bigint;
  readonly transactions: number;
  /** Annualized fees of the day after the protocol's share, relative to the value locked. */
  readonly apr: Fraction;
  readonly tradedChange: Fraction;
  readonly lockedChange: Fraction;
  readonly priceChange: PriceChange;
}

/** Of token0 in token1, and of token1 in token0; 0 if unknown. */
export interface PriceChange {
  readonly direct: Fraction;
  readonly inverse: Fraction;
}

const NONE: Fraction = { numerator: 0n, denominator: 1n };
const NO_CHANGE: PriceChange = { direct: NONE, inverse: NONE };
const DAYS_OF_A_YEAR = 365n;
const MILLION = 1_000_000n;

const made = new WeakMap<ExchangeView, Map<number, PoolFigures>>();

export function figuresOf(view: ExchangeView, pool: ListedPool): PoolFigures {
  const known = made.get(view) ?? new Map<number, PoolFigures>();
  made.set(view, known);
  const figures = known.get(pool.id) ?? computeFigures(view, pool);
  known.set(pool.id, figures);
  return figures;
}

function computeFigures(view: ExchangeView, pool: ListedPool): PoolFigures {
  const { id, type, isNamed } = pool;
  const held = heldNow(pool, view);
  const [now, day, twoDays] = [view.now, view.day, view.twoDays].map(({ states }) => states.get(id) ?? NO_STATE) as [
    PoolState,
    PoolState,
    PoolState,
  ];
  const sides = sidesIn(view.valued.dollars, pool);
  const volume = { volume0: now.volume0 - day.volume0, volume1: now.volume1 - day.volume1 };
  // An unconfigured factory may report fake trades.
  const traded = isNamed ? valueTraded(volume.volume0, volume.volume1, sides) : 0n;
  const unit = unitFor(view, pool, now, held);
  const inUnit = valueTraded(volume.volume0, volume.volume1, unit.now);
  const before = valueTraded(day.volume0 - twoDays.volume0, day.volume1 - twoDays.volume1, unit.before);
  const eventValue = valueLocked(type, eventBalances(pool, now), unit.now);
  return {
    ...held,
    price: priceOf(pool, now),
    locked: valueLocked(type, held, sides),
    ...volume,
    traded,
    fees: chargedFor(pool, now, day, traded, sides) / MILLION,
    transactions: now.transactions - day.transactions,
    apr: isNamed ? aprOf(pool, now, day, inUnit, valueLocked(type, held, unit.now), unit.now) : NONE,
    tradedChange: isNamed ? changeOf(inUnit, before) : NONE,
    lockedChange: isNamed ? changeOf(eventValue, valueLocked(type, eventBalances(pool, day), unit.before)) : NONE,
    priceChange: isNamed ? priceChangeOf(pool, now, day) : NO_CHANGE,
  };
}

/** Figures between an earlier state and now, valued at the prices of now. */
export interface PeriodFigures {
  readonly traded: bigint;
  readonly fees: bigint;
  readonly transactions: number;
  readonly priceChange: PriceChange;
}

export function periodFigures(view: ExchangeView, pool: ListedPool, then: PoolState = NO_STATE): PeriodFigures {
  const now = view.now.states.get(pool.id) ?? NO_STATE;
  const sides = sidesIn(view.valued.dollars, pool);
  const { isNamed } = pool;
  const traded = isNamed ? valueTraded(now.volume0 - then.volume0, now.volume1 - then.volume1, sides) : 0n;
  return {
    traded,
    fees: chargedFor(pool, now, then, traded, sides) / MILLION,
    transactions: now.transactions - then.transactions,
    priceChange: isNamed ? priceChangeOf(pool, now, then) : NO_CHANGE,
  };
}

function priceChangeOf(pool: ListedPool, now: PoolState, then: PoolState): PriceChange {
  const [price, before] = [priceOf(pool, now), priceOf(pool, then)];
  if (price === undefined || before === undefined) return NO_CHANGE;
  const [after, earlier] = [price.numerator * before.denominator, before.numerator * price.denominator];
  return {
    direct: { numerator: after - earlier, denominator: earlier },
    inverse: { numerator: earlier - after, denominator: after },
  };
}

interface Unit {
  readonly now: readonly [Side, Side];
  readonly before: readonly [Side, Side];
}

/** Unit of ratios: dollars if the pool has a dollar value, else coins, else token1. */
function unitFor({ valued, day }: ExchangeView, pool: ListedPool, state: PoolState, held: Held): Unit {
  const isPriced = (table: PriceTable) => valueLocked(pool.type, held, sidesIn(table, pool)) > 0n;
  for (const unit of ["dollars", "coins"] as const) {
    if (isPriced(valued[unit])) return { now: sidesIn(valued[unit], pool), before: sidesIn(valued.before[unit], pool) };
  }
  const then = day.states.get(pool.id);
  return { now: ownSides(priceOf(pool, state)), before: ownSides(then && priceOf(pool, then)) };
}

function ownSides(price: Fraction | undefined): readonly [Side, Side] {
  const value = price === undefined ? 0n : (SCALE * price.numerator) / price.denominator;
  return [
    { isAnchor: true, price: { value, depth: undefined, hops: 1 } },
    { isAnchor: true, price: { value: SCALE, depth: undefined, hops: 0 } },
  ];
}

/** Volume times the fee, which may differ from swap to swap. */
function chargedFor(
  pool: ListedPool,
  now: PoolState,
  then: PoolState,
  traded: bigint,
  sides: readonly [Side, Side],
): bigint {
  if (!hasChangingFees(pool)) return traded * BigInt(pool.fee);
  if (!pool.isNamed) return 0n;
  const [charged0, charged1] = chargedBetween(pool, now, then);
  return valueTraded(charged0, charged1, sides);
}

function chargedBetween(pool: ListedPool, now: PoolState, then: PoolState): readonly [bigint, bigint] {
  const [last, first] = [changingFees(pool, now), changingFees(pool, then)];
  return [(last?.charged0 ?? 0n) - (first?.charged0 ?? 0n), (last?.charged1 ?? 0n) - (first?.charged1 ?? 0n)];
}

function aprOf(
  pool: ListedPool,
  now: PoolState,
  day: PoolState,
  traded: bigint,
  locked: bigint,
  sides: readonly [Side, Side],
): Fraction {
  if (locked <= 0n) return NONE;
  const [paid, taken] = protocolShare(pool, now, day, sides);
  const fees = chargedFor(pool, now, day, traded, sides) * DAYS_OF_A_YEAR;
  return { numerator: fees * (paid - taken), denominator: locked * MILLION * paid };
}

/** Fees of a day and the protocol's share of them, which rounding may raise above a fee of a few smallest units. */
function protocolShare(
  pool: ListedPool,
  now: PoolState,
  day: PoolState,
  sides: readonly [Side, Side],
): [bigint, bigint] {
  const [rate, reported] = [BigInt(pool.fee), MILLION * PROTOCOL_UNIT];
  const paid = paidBetween(pool, now, day).map((one) => one * PROTOCOL_UNIT);
  const taken = [
    (now.protocolInput0 - day.protocolInput0) * rate + (now.protocolFee0 - day.protocolFee0) * reported,
    (now.protocolInput1 - day.protocolInput1) * rate + (now.protocolFee1 - day.protocolFee1) * reported,
  ];
  const sum = ([amount0 = 0n, amount1 = 0n]: readonly bigint[]) => worth(amount0, sides[0]) + worth(amount1, sides[1]);
  const all = sum(paid);
  return all > 0n ? [all, min(all, sum(taken))] : [1n, 0n];
}

/** Swap inputs times their fee. */
function paidBetween(pool: ListedPool, now: PoolState, day: PoolState): readonly [bigint, bigint] {
  const { type, fee } = pool;
  if (!isSingleton(type) && type !== "algebra") {
    return [(now.input0 - day.input0) * BigInt(fee), (now.input1 - day.input1) * BigInt(fee)];
  }
  const [last, first] = isSingleton(type) ? [now.singleton, day.singleton] : [now.algebra, day.algebra];
  return [(last?.paid0 ?? 0n) - (first?.paid0 ?? 0n), (last?.paid1 ?? 0n) - (first?.paid1 ?? 0n)];
}

function changeOf(now: bigint, before: bigint): Fraction {
  return before <= 0n ? NONE : { numerator: now - before, denominator: before };
}

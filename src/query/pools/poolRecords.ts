import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { isPairType } from "../../chain/exchange/exchangeFields.ts";
import type { Fraction } from "../../exchange/decimal.ts";
import { unitsOf } from "../../exchange/decimal.ts";
import { defined } from "../../std/values.ts";
import type { ReadSession } from "../../store/session.ts";
import type { StateAt } from "../../store/stages/exchange/exchangeRows.ts";
import type { KnownToken } from "../../store/stages/tokens/read/tokenReads.ts";
import type { ExchangeSettings } from "../exchange/exchangeSettings.ts";
import type { ExchangeView } from "../exchange/exchangeView.ts";
import type { ListedPool, ListedToken } from "../exchange/listedPools.ts";
import type { Period } from "../exchange/poolHistory.ts";
import { supplyOf } from "../tokens/token.ts";
import { isFirstQuote } from "./baseToken.ts";
import { changingFees } from "./changingFees.ts";
import type { PeriodFigures, PoolFigures } from "./poolFigures.ts";
import { figuresOf, periodFigures } from "./poolFigures.ts";

export interface PoolToken {
  readonly listed: ListedToken;
  readonly symbol: string | null;
  readonly name: string | null;
  readonly decimals: number;
  readonly supply: bigint | null;
}

export interface PoolRecord {
  readonly pool: ListedPool;
  readonly token0: PoolToken;
  readonly token1: PoolToken;
  readonly base: PoolToken;
  readonly quote: PoolToken;
  /** Swap fee in hundredths of a basis point; that of the last swap if it is dynamic. */
  readonly fee: number;
  readonly figures: PoolFigures;
  readonly periods: Readonly<Record<Period, PeriodFigures>>;
  /** Fully diluted value in units of 1 / SCALE dollars. */
  readonly dilutedValue: bigint;
  /** Block time of its creation. */
  readonly createdAt: number;
}

export async function readPool(
  session: ReadSession,
  view: ExchangeView,
  settings: ExchangeSettings,
  address: Hex,
): Promise<PoolRecord | undefined> {
  const pool = view.listing.poolsByHex.get(address);
  return pool && (await readPools(session, view, settings, [pool]))[0];
}

const made = new WeakMap<ExchangeView, Map<number, PoolRecord>>();

export async function readPools(
  session: ReadSession,
  view: ExchangeView,
  settings: ExchangeSettings,
  pools: readonly ListedPool[],
): Promise<PoolRecord[]> {
  const records = made.get(view) ?? new Map<number, PoolRecord>();
  made.set(view, records);
  const missing = pools.filter(({ id }) => !records.has(id));
  const [tokens, past, stamps] = await Promise.all([
    readPoolTokens(
      session,
      view,
      missing.flatMap(({ token0, token1 }) => [token0, token1]),
    ),
    readPeriods(session, view, missing),
    session.blocks.stamps(new Set(missing.map(({ since }) => since))),
  ]);
  for (const pool of missing) {
    const [token0, token1] = [defined(tokens.get(pool.token0.number)), defined(tokens.get(pool.token1.number))];
    const [base, quote] = isFirstQuote(settings, pool) ? [token1, token0] : [token0, token1];
    const price = view.valued.dollars.prices.get(base.listed.pricedAs)?.value ?? 0n;
    records.set(pool.id, {
      ...{ pool, token0, token1, base, quote, fee: feeOf(view, pool), figures: figuresOf(view, pool) },
      periods: mapPeriods((period) => periodFigures(view, pool, past[period].get(pool.id))),
      dilutedValue: price * (base.supply ?? 0n),
      createdAt: stamps.get(pool.since)?.timestamp ?? 0,
    });
  }
  return pools.map(({ id }) => defined(records.get(id)));
}

export function feeOf({ now }: ExchangeView, pool: ListedPool): number {
  if (!pool.hasDynamicFee) return pool.fee;
  const state = now.states.get(pool.id);
  return (state && changingFees(pool, state)?.fee) ?? 0;
}

function mapPeriods<T>(make: (period: Period) => T): Record<Period, T> {
  return { h1: make("h1"), h6: make("h6"), d7: make("d7"), d30: make("d30") };
}

/** States of pools before each period. */
async function readPeriods(session: ReadSession, { marks }: ExchangeView, pools: readonly ListedPool[]) {
  const ids = pools.map(({ id }) => id);
  const read = async (period: Period) =>
    marks[period] < 0 || ids.length === 0 ? new Map<number, StateAt>() : session.exchange.states(ids, marks[period]);
  const [h1, h6, d7, d30] = await Promise.all([read("h1"), read("h6"), read("d7"), read("d30")]);
  return { h1, h6, d7, d30 };
}

/** By token number; unknown tokens are empty. */
export async function readPoolTokens(
  session: ReadSession,
  { balances }: Pick<ExchangeView, "balances">,
  tokens: readonly ListedToken[],
): Promise<Map<number, PoolToken>> {
  const ids = tokens.flatMap(({ hex }) => balances.ids.get(hex) ?? []);
  const known = await session.tokens.byId(ids);
  return new Map(
    tokens.map((listed) => {
      const id = balances.ids.get(listed.hex);
      return [listed.number, poolTokenOf(listed, id === undefined ? undefined : known.get(id))];
    }),
  );
}

function poolTokenOf(listed: ListedToken, token: KnownToken | undefined): PoolToken {
  const { reported } = listed;
  const { seen } = token ?? {};
  return {
    listed,
    symbol: seen?.symbol.text ?? reported?.symbol ?? null,
    name: seen?.name.text ?? reported?.name ?? null,
    decimals: seen?.decimals ?? reported?.decimals ?? 0,
    supply: token === undefined ? (reported?.supply ?? null) : supplyOf(token),
  };
}

/** Pools in which a user has pair shares or a position. */
export async function poolsOfUser(
  session: ReadSession,
  { balances }: ExchangeView,
  pools: readonly ListedPool[],
  user: Bytes | undefined,
): Promise<Set<number>> {
  if (user === undefined) return new Set();
  const concentrated = pools.filter(({ type }) => !isPairType(type)).map(({ id }) => id);
  const owned = new Set(await session.exchange.poolsWithLiquidity(user, concentrated));
  const holder = await session.addresses.id(user);
  if (holder === undefined) return owned;
  const pairs = pools.filter(({ type, hex }) => isPairType(type) && balances.ids.has(hex));
  const shares = await session.tokens.balances(pairs.map(({ hex }) => [holder, balances.ids.get(hex)!]));
  for (const [at, { id }] of pairs.entries()) if (shares[at]! > 0n) owned.add(id);
  return owned;
}

/** Converts a price to whole quote tokens per whole base token. */
export function inQuote({ token0, token1, base }: PoolRecord, { numerator, denominator }: Fraction): Fraction {
  const [units0, units1] = [unitsOf(token0.decimals), unitsOf(token1.decimals)];
  const whole = { numerator: numerator * units0, denominator: denominator * units1 };
  return base === token0 ? whole : { numerator: whole.denominator, denominator: whole.numerator };
}

import type { Fraction } from "../../exchange/decimal.ts";
import { mapInTurns, sortInTurns } from "../../std/async.ts";
import type { ExchangeSettings } from "../exchange/exchangeSettings.ts";
import type { ExchangeView } from "../exchange/exchangeView.ts";
import type { ExchangeFilter, PoolFilter, ValuedPool } from "../exchange/valuedPools.ts";
import { isOfFilter } from "../exchange/valuedPools.ts";
import { isFirstQuote } from "./baseToken.ts";
import { figuresOf } from "./poolFigures.ts";

export const POOL_SORTS = ["tvl", "volume", "fees", "apr", "transactions", "created_at", "price_change"] as const;

/** Figures are those of 24 hours. */
export type PoolSort = (typeof POOL_SORTS)[number];

interface Listed {
  readonly filter: PoolFilter;
  readonly exchanges: ExchangeFilter;
}

type SortKey = bigint | number;

const sorted = new WeakMap<ExchangeView, Map<PoolSort, Promise<readonly ValuedPool[]>>>();

/** Highest first; equal ones by value. Each order of a view is made once. */
export async function sortedPools(
  view: ExchangeView,
  settings: ExchangeSettings,
  { filter, exchanges }: Listed,
  sort: PoolSort,
): Promise<readonly ValuedPool[]> {
  if (sort === "tvl") return view.valued.order[exchanges][filter];
  const known = sorted.get(view) ?? new Map<PoolSort, Promise<readonly ValuedPool[]>>();
  sorted.set(view, known);
  const all = known.get(sort) ?? sortPools(view, settings, sort);
  known.set(sort, all);
  const isWanted = ({ pool }: ValuedPool) => isOfFilter(filter, pool) && (exchanges === "all" || pool.isNamed);
  return (await all).filter(isWanted);
}

async function sortPools(view: ExchangeView, settings: ExchangeSettings, sort: PoolSort): Promise<ValuedPool[]> {
  const keyed = await mapInTurns(view.valued.order.all.any, (valued, rank) => {
    return { valued, rank, key: keyOf(view, settings, valued, sort) };
  });
  const ordered = await sortInTurns(keyed, (one, other) => descending(one.key, other.key) || one.rank - other.rank);
  return ordered.map(({ valued }) => valued);
}

function keyOf(view: ExchangeView, settings: ExchangeSettings, { pool, locked }: ValuedPool, sort: PoolSort): SortKey {
  switch (sort) {
    case "tvl":
      return locked;
    case "created_at":
      return pool.position;
    case "volume":
      return figuresOf(view, pool).traded;
    case "fees":
      return figuresOf(view, pool).fees;
    case "apr":
      return scaled(figuresOf(view, pool).apr);
    case "transactions":
      return figuresOf(view, pool).transactions;
    case "price_change":
      return scaled(figuresOf(view, pool).priceChange[isFirstQuote(settings, pool) ? "inverse" : "direct"]);
  }
}

const KEY_SCALE = 10n ** 30n;

const scaled = ({ numerator, denominator }: Fraction) => (numerator * KEY_SCALE) / denominator;

function descending(one: SortKey, other: SortKey): number {
  return one === other ? 0 : one > other ? -1 : 1;
}

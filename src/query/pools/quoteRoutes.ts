import { isSingleton } from "../../chain/exchange/exchangeFields.ts";
import type { Route } from "../../exchange/routing.ts";
import { Turn } from "../../std/async.ts";
import type { ExchangeView } from "../exchange/exchangeView.ts";
import { heldNow } from "../exchange/heldAmounts.ts";
import type { ListedPool } from "../exchange/listedPools.ts";
import { quoteOf } from "../exchange/poolWindow.ts";
import type { ExchangeFilter } from "../exchange/valuedPools.ts";

/** Pools of one pair, the deepest first: alone, and as a leg of two. */
const MAX_DIRECT = 6;
const MAX_LEG = 4;

/** Tokens between, by each leg's depth. */
const MAX_BETWEEN = 4;

interface Ends {
  readonly from: number;
  readonly to: number;
}

interface Leg {
  readonly pool: ListedPool;
  /** Of the end that the leg has, near the price. */
  readonly depth: bigint;
}

interface FoundRoutes {
  readonly routes: readonly Route[];
  readonly pools: ReadonlyMap<number, ListedPool>;
}

/** Routes of one or two pools. Their number has a bound: of many pools the deepest are looked at. */
export async function findRoutes(
  view: ExchangeView,
  { from, to }: Ends,
  exchanges: ExchangeFilter,
): Promise<FoundRoutes> {
  if (from === to) return { routes: [], pools: new Map() };
  const direct: Leg[] = [];
  const [first, second] = [new Map<number, Leg[]>(), new Map<number, Leg[]>()];
  const turn = new Turn();
  for (const pool of view.listing.pools) {
    await turn.yieldToEventLoop();
    if (exchanges === "known" && !pool.isNamed) continue;
    // Hooks may do anything with a swap, and what an unknown manager says cannot be checked.
    if (pool.hasHooks || (isSingleton(pool.type) && !pool.isNamed)) continue;
    const [token0, token1] = [pool.token0.number, pool.token1.number];
    for (const [end, other] of [
      [token0, token1],
      [token1, token0],
    ] as const) {
      if (end !== from && end !== to) continue;
      const depth = depthOf(view, pool, end === token0);
      if (depth === 0n) continue;
      const leg = { pool, depth };
      if (other === from || other === to) {
        if (end === from) direct.push(leg);
      } else addTo(end === from ? first : second, other, leg);
    }
  }
  const routes: Route[] = [];
  const pools = new Map<number, ListedPool>();
  const add = (...hops: (readonly [pool: ListedPool, into: number])[]) => {
    for (const [pool] of hops) pools.set(pool.id, pool);
    routes.push(hops.map(([pool, into]) => ({ pool: pool.id, isToken0: pool.token0.number === into })));
  };
  for (const { pool } of deepest(direct, MAX_DIRECT)) add([pool, from]);
  for (const token of tokensBetween(first, second)) {
    for (const one of deepest(first.get(token)!, MAX_LEG)) {
      for (const other of deepest(second.get(token)!, MAX_LEG)) add([one.pool, from], [other.pool, token]);
    }
  }
  return { routes, pools };
}

function addTo(legs: Map<number, Leg[]>, token: number, leg: Leg): void {
  const known = legs.get(token);
  if (known === undefined) legs.set(token, [leg]);
  else known.push(leg);
}

/** Depth of one side of the pool near its price; 0 if it cannot be traded. */
function depthOf(view: ExchangeView, pool: ListedPool, isToken0: boolean): bigint {
  const state = view.now.states.get(pool.id);
  if (state === undefined) return 0n;
  const held = heldNow(pool, view);
  const quote = quoteOf(pool, state, held);
  return quote === undefined ? 0n : isToken0 ? quote.depth0 : quote.depth1;
}

function deepest(legs: readonly Leg[], count: number): Leg[] {
  return legs.toSorted(deeperFirst).slice(0, count);
}

const deeperFirst = (one: Leg, other: Leg) =>
  one.depth === other.depth ? one.pool.id - other.pool.id : one.depth > other.depth ? -1 : 1;

/** The tokens with the deepest first legs, and those with the deepest second legs. */
function tokensBetween(first: ReadonlyMap<number, Leg[]>, second: ReadonlyMap<number, Leg[]>): Set<number> {
  const both = [...first.keys()].filter((token) => second.has(token));
  const best = (legs: ReadonlyMap<number, Leg[]>) =>
    both
      .map((token) => ({ token, leg: deepest(legs.get(token)!, 1)[0]! }))
      .sort((one, other) => deeperFirst(one.leg, other.leg))
      .slice(0, MAX_BETWEEN)
      .map(({ token }) => token);
  return new Set([...best(first), ...best(second)]);
}

import { Turn } from "../std/async.ts";
import type { SwapPool } from "./swap.ts";
import { swapExactInput } from "./swap.ts";

export interface Hop {
  readonly pool: number;
  /** Whether token0 goes in. */
  readonly isToken0: boolean;
}

export type Route = readonly Hop[];

/** Input and output of a route, after those before it in the list. */
export interface QuotedRoute {
  readonly route: Route;
  /** Input of each hop, and output of the last. */
  readonly amounts: readonly bigint[];
}

type States = ReadonlyMap<number, SwapPool>;

interface Run {
  readonly amounts: readonly bigint[];
  readonly after: States;
}

/** Parts into which an amount is split. */
const PARTS = 20;

/** Routes that share an amount. */
const MAX_SPLIT = 4;

/** Routes among which an amount is split, the best for a part first. */
const MAX_CANDIDATES = 8;

/** Steps of all swaps of a request. */
const MAX_TOTAL_STEPS = 20_000;

/**
 * The routes that give the most for an amount, or the best that a search finds: one route alone, or parts that go to
 * the route which then gives most for them. The amounts are those of swaps one after the other, in the order of the list.
 */
export async function quoteRoutes(routes: readonly Route[], amount: bigint, pools: States): Promise<QuotedRoute[]> {
  const search = new RouteSearch(pools);
  const alone = await search.best(routes, amount);
  const part = amount / BigInt(PARTS);
  if (part === 0n) return alone === undefined ? [] : [alone];
  const candidates = await search.rank(routes, part);
  let shares = await search.share(candidates.slice(0, MAX_CANDIDATES), part);
  if (shares.size > MAX_SPLIT) {
    const largest = [...shares].sort(([, one], [, other]) => other - one).slice(0, MAX_SPLIT);
    shares = await search.share(
      largest.map(([route]) => route),
      part,
    );
  }
  const split = await search.runShares(shares, amount, part);
  return outputOf(split) > outputOf(alone === undefined ? [] : [alone]) ? split : alone === undefined ? [] : [alone];
}

const outputOf = (routes: readonly QuotedRoute[]) => routes.reduce((sum, { amounts }) => sum + amounts.at(-1)!, 0n);

class RouteSearch {
  readonly #pools: States;
  readonly #turn = new Turn();
  #steps = MAX_TOTAL_STEPS;

  constructor(pools: States) {
    this.#pools = pools;
  }

  async best(routes: readonly Route[], amount: bigint): Promise<QuotedRoute | undefined> {
    let best: QuotedRoute | undefined;
    for (const route of routes) {
      const run = await this.#run(route, amount, this.#pools);
      if (run === undefined || (best !== undefined && run.amounts.at(-1)! <= best.amounts.at(-1)!)) continue;
      best = { route, amounts: run.amounts };
    }
    return best;
  }

  /** Highest output first. */
  async rank(routes: readonly Route[], amount: bigint): Promise<Route[]> {
    const outputs: { route: Route; output: bigint }[] = [];
    for (const route of routes) {
      const output = (await this.#run(route, amount, this.#pools))?.amounts.at(-1);
      if (output !== undefined) outputs.push({ route, output });
    }
    const sorted = outputs.sort((a, b) => (a.output === b.output ? 0 : a.output > b.output ? -1 : 1));
    return sorted.map(({ route }) => route);
  }

  /** Number of parts for each route. */
  async share(routes: readonly Route[], part: bigint): Promise<Map<Route, number>> {
    const shares = new Map<Route, number>();
    let states = this.#pools;
    for (let given = 0; given < PARTS; given++) {
      let best: { route: Route; run: Run } | undefined;
      for (const route of routes) {
        const run = await this.#run(route, part, states);
        if (run === undefined || (best !== undefined && run.amounts.at(-1)! <= best.run.amounts.at(-1)!)) continue;
        best = { route, run };
      }
      if (best === undefined) return new Map();
      shares.set(best.route, (shares.get(best.route) ?? 0) + 1);
      states = best.run.after;
    }
    return shares;
  }

  /** The largest share first; it also takes what parts leave. */
  async runShares(shares: ReadonlyMap<Route, number>, amount: bigint, part: bigint): Promise<QuotedRoute[]> {
    const sorted = [...shares].sort(([, one], [, other]) => other - one);
    const quoted: QuotedRoute[] = [];
    let states = this.#pools;
    for (const [at, [route, count]] of sorted.entries()) {
      const rest = at === 0 ? amount - part * BigInt(PARTS) : 0n;
      const run = await this.#run(route, part * BigInt(count) + rest, states);
      if (run === undefined) return [];
      quoted.push({ route, amounts: run.amounts });
      states = run.after;
    }
    return quoted;
  }

  /** Undefined if a pool cannot take its input, or all steps are used. */
  async #run(route: Route, amount: bigint, states: States): Promise<Run | undefined> {
    const amounts = [amount];
    const after = new Map(states);
    for (const { pool, isToken0 } of route) {
      if (this.#steps <= 0) return undefined;
      const swapped = swapExactInput(after.get(pool)!, amounts.at(-1)!, isToken0);
      this.#steps -= swapped.steps;
      await this.#turn.yieldToEventLoop();
      if (swapped.amountOut === 0n) return undefined;
      amounts.push(swapped.amountOut);
      after.set(pool, swapped.after);
    }
    return { amounts, after };
  }
}

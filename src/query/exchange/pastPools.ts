import type { PoolSnapshot } from "../../exchange/pool.ts";
import { mapInTurns } from "../../std/async.ts";
import type { ReadSession } from "../../store/session.ts";
import type { KnownAnchors } from "./anchors.ts";
import type { ListedPool } from "./listedPools.ts";
import type { PoolHistory } from "./poolHistory.ts";
import type { PoolStates } from "./poolStates.ts";
import { moveStates, NO_STATES } from "./poolStates.ts";
import type { PoolWindow } from "./poolWindow.ts";
import { moveChanges, NO_WINDOW, STEADY_BLOCKS } from "./poolWindow.ts";
import type { ValuedPools } from "./valuedPools.ts";
import { snapshotPast } from "./valuedPools.ts";

/** Pools with more changes in a window are read together with those of all others. */
const MAX_APART = 32;

interface PastPools {
  readonly now: PoolStates;
  /** In the order of the pools asked for. */
  readonly snapshots: readonly PoolSnapshot[];
}

/** Pools after a block. Holdings follow from events. */
export async function readPastPools(
  session: ReadSession,
  range: PoolHistory["range"],
  pools: readonly ListedPool[],
  block: number,
): Promise<PastPools> {
  const isIndexed = (at: number) => range !== undefined && at >= range.first;
  const read = (at: number) => (isIndexed(at) ? moveStates(session, NO_STATES, at, pools, new Set()) : NO_STATES);
  const [now, start] = await Promise.all([read(block), read(block - STEADY_BLOCKS)]);
  const window: PoolWindow = { block, start, changes: await readChanges(session, now) };
  return { now, snapshots: await mapInTurns(pools, (pool) => snapshotPast(pool, now, window)) };
}

/** State changes within the window that ends with these states. */
async function readChanges(session: ReadSession, { block, states }: PoolStates): Promise<PoolWindow["changes"]> {
  const oldest = block - STEADY_BLOCKS + 1;
  const changed = [...states.values()].filter((state) => state.block >= oldest);
  if (changed.length > MAX_APART) return moveChanges(session, NO_WINDOW, block);
  const histories = changed.map(({ pool }) => session.exchange.history(pool, oldest, block, STEADY_BLOCKS));
  const found = await Promise.all(histories);
  return new Map(changed.map(({ pool }, at) => [pool, found[at]!]));
}

type Priced = Pick<PoolHistory, "listing"> & { readonly valued: Pick<ValuedPools, "dollars"> };

/** Pools on the price routes of tokens, and those that price the native coin. */
export function pricingPools(view: Priced, tokens: readonly number[], { stables, native }: KnownAnchors): ListedPool[] {
  const isAnchor = (number: number) => stables.has(number) || number === native?.token;
  const passed = new Set(tokens.flatMap((number) => routeOf(view, number)));
  return view.listing.pools.filter(
    (pool) =>
      passed.has(pool.id) || (pool.setsPrice && isAnchor(pool.token0.pricedAs) && isAnchor(pool.token1.pricedAs)),
  );
}

function routeOf({ valued }: Priced, number: number): number[] {
  const { prices } = valued.dollars;
  const route: number[] = [];
  for (let source = prices.get(number)?.source; source !== undefined; source = prices.get(source.token)?.source) {
    route.push(source.pool);
  }
  return route;
}

import { Turn } from "../../std/async.ts";
import type { ReadSession } from "../../store/session.ts";
import type { StateAt } from "../../store/stages/exchange/exchangeRows.ts";

export interface PoolStates {
  readonly block: number;
  readonly states: ReadonlyMap<number, StateAt>;
}

export const NO_STATES: PoolStates = { block: -1, states: new Map() };

/** With more blocks in between, all states are read anew. */
export const MAX_FOLLOWED = 500;

const BATCH_SIZE = 500;

/** Reads only pools that changed, and new ones. */
export async function moveStates(
  session: ReadSession,
  before: PoolStates,
  block: number,
  pools: readonly { readonly id: number }[],
  fresh: ReadonlySet<number>,
): Promise<PoolStates> {
  if (block < 0) return NO_STATES;
  if (block === before.block && fresh.size === 0) return before;
  const isFar = before.block < 0 || block - before.block > MAX_FOLLOWED;
  const touched = isFar ? undefined : await session.exchange.touched(before.block + 1, block);
  const wanted = pools.filter(({ id }) => touched === undefined || fresh.has(id) || touched.has(id));
  const states = new Map(isFar ? [] : before.states);
  const turn = new Turn();
  for (let from = 0; from < wanted.length; from += BATCH_SIZE) {
    const ids = wanted.slice(from, from + BATCH_SIZE).map(({ id }) => id);
    for (const [id, state] of await session.exchange.states(ids, block)) states.set(id, state);
    await turn.yieldToEventLoop();
  }
  return { block, states };
}

import type { PoolQuote } from "../../exchange/pool.ts";
import { quoteLiquidity, quoteReserves } from "../../exchange/pool.ts";
import type { QuoteSample } from "../../exchange/window.ts";
import { lastingQuote } from "../../exchange/window.ts";
import { Turn } from "../../std/async.ts";
import type { ReadSession } from "../../store/session.ts";
import type { StateAt } from "../../store/stages/exchange/exchangeRows.ts";
import type { PoolState } from "../../store/stages/exchange/poolState.ts";
import type { Held } from "./heldAmounts.ts";
import { leastHeld, toldBalances } from "./heldAmounts.ts";
import type { ListedPool } from "./listedPools.ts";
import type { PoolStates } from "./poolStates.ts";
import { NO_STATES } from "./poolStates.ts";

/** Blocks that what a pool quotes must last for. */
export const STEADY_BLOCKS = 30;

/** What pools were after each of the last blocks up to one. */
export interface PoolWindow {
  /** The newest block; -1 before any. */
  readonly block: number;
  /** Before the window: `STEADY_BLOCKS` before its newest block. Of block -1 where the index does not reach as far. */
  readonly start: PoolStates;
  /** The states of pools that changed since, by their ids and in ascending order of the blocks. */
  readonly changes: ReadonlyMap<number, readonly StateAt[]>;
}

export const NO_WINDOW: PoolWindow = { block: -1, start: NO_STATES, changes: new Map() };

/** The changes of the window up to a later block. Only what changed since is read, of all that are said to be pools. */
export async function moveChanges(
  session: ReadSession,
  before: Pick<PoolWindow, "block" | "changes">,
  block: number,
): Promise<PoolWindow["changes"]> {
  if (block === before.block) return before.changes;
  const oldest = block - STEADY_BLOCKS + 1;
  const isKept = ({ block }: StateAt) => block >= oldest;
  const changes = new Map<number, readonly StateAt[]>();
  const turn = new Turn();
  for (const [pool, states] of before.changes) {
    if (!isKept(states.at(-1)!)) continue;
    changes.set(pool, isKept(states[0]!) ? states : states.filter(isKept));
    await turn.yieldToEventLoop();
  }
  const added = new Map<number, StateAt[]>();
  for await (const some of session.exchange.changes(Math.max(before.block + 1, oldest), block)) {
    for (const state of some) {
      const states = added.get(state.pool);
      if (states === undefined) added.set(state.pool, [state]);
      else states.push(state);
    }
    await turn.yieldToEventLoop();
  }
  for (const [pool, states] of added) changes.set(pool, [...(changes.get(pool) ?? []), ...states]);
  return changes;
}

/**
 * What to believe of a pool that holds this after the newest block of a window: nothing where it was no pool when the window
 * began. An index that does not reach as far back has nothing to compare with.
 */
export function believedQuote(
  { id, type }: Pick<ListedPool, "id" | "type">,
  { block, start, changes }: PoolWindow,
  now: PoolState | undefined,
  held: Held,
): PoolQuote | undefined {
  const last = now && quoteOf(type, now, leastHeld(held, toldBalances(type, now)));
  if (last === undefined || start.block < 0) return last;
  const first = start.states.get(id);
  if (first === undefined) return undefined;
  const states = [first, ...(changes.get(id) ?? [])];
  const samples = states.map((state, at): QuoteSample => {
    const until = states[at + 1]?.block ?? block + 1;
    const isLast = at === states.length - 1;
    const quote = isLast ? last : quoteOf(type, state, toldBalances(type, state));
    return { quote, blocks: until - Math.max(state.block, start.block) };
  });
  return lastingQuote(samples);
}

function quoteOf(type: ListedPool["type"], state: PoolState, held: Held): PoolQuote | undefined {
  return type === "v2" ? quoteReserves(state, held) : quoteLiquidity(state, held);
}

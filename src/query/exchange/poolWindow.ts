import { isPairType } from "../../chain/exchange/exchangeFields.ts";
import type { PoolQuote } from "../../exchange/pool.ts";
import { quoteLiquidity, quoteReserves } from "../../exchange/pool.ts";
import type { QuoteSample } from "../../exchange/window.ts";
import { lastingQuote } from "../../exchange/window.ts";
import { Turn } from "../../std/async.ts";
import type { ReadSession } from "../../store/session.ts";
import type { StateAt } from "../../store/stages/exchange/exchangeRows.ts";
import type { PoolState } from "../../store/stages/exchange/poolState.ts";
import type { Held } from "./heldAmounts.ts";
import { eventBalances, minHeld } from "./heldAmounts.ts";
import type { ListedPool } from "./listedPools.ts";
import type { PoolStates } from "./poolStates.ts";
import { NO_STATES } from "./poolStates.ts";

/** Blocks for which a quote must last. */
export const STEADY_BLOCKS = 30;

export interface PoolWindow {
  /** -1 before any block. */
  readonly block: number;
  /** STEADY_BLOCKS before the newest; block -1 if the index does not reach as far. */
  readonly start: PoolStates;
  readonly changes: ReadonlyMap<number, readonly StateAt[]>;
}

export const NO_WINDOW: PoolWindow = { block: -1, start: NO_STATES, changes: new Map() };

/** Extends the window, reading only changes. */
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

/** Undefined if the pool did not exist at the start of the window. A shorter index has nothing to compare with. */
export function believedQuote(
  pool: Pick<ListedPool, "id" | "type" | "isNamed" | "curve">,
  { block, start, changes }: PoolWindow,
  now: PoolState | undefined,
  held: Held,
): PoolQuote | undefined {
  const { id } = pool;
  const last = now && quoteOf(pool, now, minHeld(held, eventBalances(pool, now)));
  if (last === undefined || start.block < 0) return last;
  const first = start.states.get(id);
  if (first === undefined) return undefined;
  const states = [first, ...(changes.get(id) ?? [])];
  const samples = states.map((state, at): QuoteSample => {
    const until = states[at + 1]?.block ?? block + 1;
    const isLast = at === states.length - 1;
    const quote = isLast ? last : quoteOf(pool, state, eventBalances(pool, state));
    return { quote, blocks: until - Math.max(state.block, start.block) };
  });
  return lastingQuote(samples);
}

export function quoteOf(
  { type, curve }: Pick<ListedPool, "type" | "curve">,
  state: PoolState,
  held: Held,
): PoolQuote | undefined {
  return isPairType(type) ? quoteReserves({ type, curve }, state, held) : quoteLiquidity(state, held);
}

import { isPairType, isSingleton } from "../../chain/exchange/exchangeFields.ts";
import type { PoolSnapshot } from "../../exchange/pool.ts";
import { clampToZero, min } from "../../std/numbers.ts";
import type { PoolState } from "../../store/stages/exchange/poolState.ts";
import type { ListedPool } from "./listedPools.ts";
import type { PoolBalances } from "./poolBalances.ts";
import type { PoolStates } from "./poolStates.ts";

export type Held = Pick<PoolSnapshot, "balance0" | "balance1">;

export const NOTHING: Held = { balance0: 0n, balance1: 0n };

/**
 * Holdings according to the pool's events, which exclude direct transfers. What a manager of V4 or Infinity says of its pools counts only
 * if its code is trusted: all of them share its balance.
 */
export function eventBalances({ type, isNamed }: Pick<ListedPool, "type" | "isNamed">, state: PoolState): Held {
  if (isPairType(type)) return { balance0: state.reserve0, balance1: state.reserve1 };
  if (isSingleton(type) && !isNamed) return NOTHING;
  return { balance0: clampToZero(state.amount0), balance1: clampToZero(state.amount1) };
}

interface Holdings {
  readonly now: PoolStates;
  readonly balances: PoolBalances;
}

export function heldNow(pool: ListedPool, { now, balances }: Holdings): Held {
  const state = now.states.get(pool.id);
  if (isSingleton(pool.type)) return state === undefined ? NOTHING : eventBalances(pool, state);
  const [balance0, balance1] = balances.held.get(pool.id) ?? [0n, 0n];
  return { balance0, balance1 };
}

export function minHeld(one: Held, other: Held): Held {
  return { balance0: min(one.balance0, other.balance0), balance1: min(one.balance1, other.balance1) };
}

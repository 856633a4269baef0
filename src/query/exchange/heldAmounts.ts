import type { PoolSnapshot } from "../../exchange/pool.ts";
import { clampToZero, min } from "../../std/numbers.ts";
import type { PoolState } from "../../store/stages/exchange/poolState.ts";
import type { ListedPool } from "./listedPools.ts";

export type Held = Pick<PoolSnapshot, "balance0" | "balance1">;

export const NOTHING: Held = { balance0: 0n, balance1: 0n };

/** Holdings according to the pool's events, which exclude direct transfers. */
export function eventBalances(type: ListedPool["type"], state: PoolState): Held {
  if (type === "v2") return { balance0: state.reserve0, balance1: state.reserve1 };
  return { balance0: clampToZero(state.amount0), balance1: clampToZero(state.amount1) };
}

export function minHeld(one: Held, other: Held): Held {
  return { balance0: min(one.balance0, other.balance0), balance1: min(one.balance1, other.balance1) };
}

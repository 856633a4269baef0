import type { IndexedRange } from "../indexedRange.ts";
import type { Listing } from "./listedPools.ts";
import type { PoolBalances } from "./poolBalances.ts";
import type { PoolStates } from "./poolStates.ts";
import type { PoolWindow } from "./poolWindow.ts";

/** All pools as they are after one block, and what they were a day and two before. */
export interface PoolHistory {
  /** The same object as long as each view follows from the one before: no block that one of them had was taken back. */
  readonly lineage: object;
  readonly range: IndexedRange | undefined;
  readonly listing: Listing;
  readonly now: PoolStates;
  /** What prices come from now, and came from a day ago. */
  readonly window: PoolWindow;
  readonly dayWindow: PoolWindow;
  readonly day: PoolStates;
  readonly twoDays: PoolStates;
  readonly balances: PoolBalances;
}

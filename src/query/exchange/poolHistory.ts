import type { IndexedRange } from "../indexedRange.ts";
import type { Listing } from "./listedPools.ts";
import type { PoolBalances } from "./poolBalances.ts";
import type { PoolStates } from "./poolStates.ts";

/** All pools as they are after one block, and what they were a day and two before. */
export interface PoolHistory {
  readonly range: IndexedRange | undefined;
  readonly listing: Listing;
  readonly now: PoolStates;
  /** So many blocks ago that a price which jumped since is not believed yet. */
  readonly steady: PoolStates;
  readonly day: PoolStates;
  readonly twoDays: PoolStates;
  readonly balances: PoolBalances;
}

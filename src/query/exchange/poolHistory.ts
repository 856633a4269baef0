import type { IndexedRange } from "../indexedRange.ts";
import type { Listing } from "./listedPools.ts";
import type { PoolBalances } from "./poolBalances.ts";
import type { PoolStates } from "./poolStates.ts";
import type { PoolWindow } from "./poolWindow.ts";

export interface PoolHistory {
  /** Identity is stable while each view derives from the previous one: no block was unwound. */
  readonly lineage: object;
  readonly range: IndexedRange | undefined;
  readonly listing: Listing;
  readonly now: PoolStates;
  readonly window: PoolWindow;
  readonly dayWindow: PoolWindow;
  readonly day: PoolStates;
  readonly twoDays: PoolStates;
  readonly balances: PoolBalances;
}

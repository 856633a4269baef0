import type { IndexedRange } from "../indexedRange.ts";
import type { Listing } from "./listedPools.ts";
import type { PoolBalances } from "./poolBalances.ts";
import type { PoolStates } from "./poolStates.ts";
import type { PoolWindow } from "./poolWindow.ts";

/** Besides the 24 hours, of which all pools are kept. */
export type Period = "h1" | "h6" | "d7" | "d30";

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
  /** Last block before each period; -1 if the index does not reach as far. */
  readonly marks: Readonly<Record<Period, number>>;
}

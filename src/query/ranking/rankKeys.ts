import type { Order } from "../listWalk.ts";
import type { RankCursor } from "../pages.ts";

type RankKey = RankCursor["key"];

/** Above every value that lists are ordered by: wei, gas and counts. */
export const MAX_RANKED = 2n ** 256n;

/** The key of an item by its value, then by a number that ascends. Keys ascend, whichever way the values go. */
export function rankKey(value: bigint, order: Order, then: number): RankKey {
  return [order === "desc" ? MAX_RANKED - value : value, then];
}

export function byRankKey(one: { readonly key: RankKey }, other: { readonly key: RankKey }): number {
  const [[a, first], [b, second]] = [one.key, other.key];
  return a < b ? -1 : a > b ? 1 : first - second;
}

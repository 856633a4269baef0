import type { Order } from "../listWalk.ts";
import type { RankCursor } from "../pages.ts";

type RankKey = RankCursor["key"];

/** Above any wei, gas or count. */
export const MAX_RANKED = 2n ** 256n;

/** Value, then an ascending number. Keys always ascend. */
export function rankKey(value: bigint, order: Order, then: number): RankKey {
  return [order === "desc" ? MAX_RANKED - value : value, then];
}

export function byRankKey(one: { readonly key: RankKey }, other: { readonly key: RankKey }): number {
  const [[a, first], [b, second]] = [one.key, other.key];
  return a < b ? -1 : a > b ? 1 : first - second;
}

import { subtractExactly } from "../std/numbers.ts";
import type { Totals } from "../store/rows/blockBody.ts";
import { NO_TOTALS } from "../store/rows/blockBody.ts";

/** Totals of the blocks after `before` up to `last`, from the running totals of these two. */
export function totalsBetween(totals: ReadonlyMap<number, Totals>, before: number, last: number) {
  const [start, end] = [before, last].map((block) => totals.get(block) ?? NO_TOTALS) as [Totals, Totals];
  return {
    transactions: end.transactions - start.transactions,
    addresses: end.addresses - start.addresses,
    contracts: end.contracts - start.contracts,
    gasUsed: subtractExactly(end.gasUsed, start.gasUsed),
  };
}

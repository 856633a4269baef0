import type { Store } from "../../store/store.ts";
import { timestamp } from "./amounts.ts";
import { DAY, totalsBefore } from "./chainFigures.ts";
import type { Reach } from "./reach.ts";

export const CHART_DAYS = 30;

export interface DayCount {
  readonly date: string;
  readonly transactions_count: number;
}

/** The transactions of each of the last days in UTC, that of the newest block first, back to that of the oldest. */
export async function readDays(store: Store, { first, tip }: Reach): Promise<DayCount[]> {
  const today = Math.floor(tip.latest / DAY);
  const days: DayCount[] = [];
  let [end, upTo] = [tip.number + 1, tip.totals.transactions];
  for (let day = today; day > today - CHART_DAYS && end > first; day--) {
    const date = timestamp(day * DAY)?.slice(0, 10);
    if (date === undefined) break;
    const start = await store.blocks.firstAfter(day * DAY - 1, first, end);
    const before = (await totalsBefore(store, start)).transactions;
    days.push({ date, transactions_count: upTo - before });
    [end, upTo] = [start, before];
  }
  return days;
}

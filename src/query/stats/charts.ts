import type { ReadSession } from "../../store/session.ts";
import type { Reach } from "../indexedRange.ts";
import { DAY, totalsBefore } from "./chainFigures.ts";

export const CHART_DAYS = 30;

export interface DayCount {
  /** When the day begins, in seconds. */
  readonly start: number;
  readonly transactions: number;
}

/** The transactions of each of the last days in UTC, that of the newest block first, back to that of the oldest. */
export async function readDays(session: ReadSession, { first, tip }: Reach): Promise<DayCount[]> {
  const today = Math.floor(tip.latest / DAY);
  const days: DayCount[] = [];
  let [end, upTo] = [tip.number + 1, tip.totals.transactions];
  for (let day = today; day > today - CHART_DAYS && end > first; day--) {
    const start = await session.blocks.firstAfter(day * DAY - 1, first, end);
    const before = (await totalsBefore(session, start)).transactions;
    days.push({ start: day * DAY, transactions: upTo - before });
    [end, upTo] = [start, before];
  }
  return days;
}

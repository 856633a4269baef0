import type { ReadSession } from "../../store/session.ts";
import type { IndexedRange } from "../indexedRange.ts";
import { DAY } from "./chainFigures.ts";

export const CHART_DAYS = 30;

export interface DayCount {
  readonly start: number;
  readonly transactions: number;
  readonly activeAddresses: number;
}

export async function readDays(session: ReadSession, { first, tip }: IndexedRange): Promise<DayCount[]> {
  const today = Math.floor(tip.latest / DAY);
  const starts = Array.from({ length: CHART_DAYS }, (_, ago) => (today - ago) * DAY);
  const blocks = await session.blocks.firstAfterEach(
    starts.map((start) => start - 1),
    first,
    tip.number + 1,
  );
  const [totals, active] = await Promise.all([
    session.blocks.totals(blocks.map((number) => number - 1)),
    session.addresses.activeByDay(today - CHART_DAYS + 1, today + 1),
  ]);
  const days: DayCount[] = [];
  let [end, upTo] = [tip.number + 1, tip.totals.transactions];
  for (const [day, start] of starts.entries()) {
    if (end <= first) break;
    end = blocks[day] ?? first;
    const before = totals.get(end - 1)?.transactions ?? 0;
    days.push({ start, transactions: upTo - before, activeAddresses: active.get(start / DAY) ?? 0 });
    upTo = before;
  }
  return days;
}

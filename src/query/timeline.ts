import type { ReadSession } from "../store/session.ts";
import type { IndexedRange } from "./indexedRange.ts";

export const RANGES = ["30d", "24h", "7d", "all"] as const;

export type Range = (typeof RANGES)[number];

/** Consecutive periods of equal length, aligned to UTC, up to the newest block. */
export interface Timeline {
  readonly step: number;
  readonly starts: readonly number[];
  /** First block of each period, and the one after the last. */
  readonly blocks: readonly number[];
}

const HOUR = 3600;
const DAY = 86_400;

/** Periods that "all" has at most. */
const MAX_PERIODS = 60;

/** Seconds of a period, where the range does not decide. */
export type Steps = Readonly<Record<Exclude<Range, "all">, number>>;

export const CHART_STEPS: Steps = { "24h": HOUR, "7d": 6 * HOUR, "30d": DAY };

const SPANS: Steps = { "24h": DAY, "7d": 7 * DAY, "30d": 30 * DAY };

/** From the block `since` on; genesis, whose time is arbitrary, is not looked at. */
export async function readTimeline(
  session: ReadSession,
  { first, tip }: IndexedRange,
  range: Range,
  steps: Steps = CHART_STEPS,
  since = first,
): Promise<Timeline> {
  const from = Math.min(Math.max(since, 1), tip.number);
  const oldest = (await session.blocks.tipAt(from))?.latest ?? tip.latest;
  const step = range === "all" ? stepOfAll(tip.latest - oldest) : steps[range];
  const last = Math.floor(tip.latest / step);
  const wanted = range === "all" ? MAX_PERIODS : SPANS[range] / step;
  const earliest = Math.max(Math.floor(oldest / step), last - wanted + 1);
  const starts = Array.from({ length: last - earliest + 1 }, (_, at) => (earliest + at) * step);
  const blocks = await session.blocks.firstAfterEach(
    starts.map((start) => start - 1),
    first,
    tip.number + 1,
  );
  return { step, starts, blocks: [...blocks, tip.number + 1] };
}

/** Hours for what is younger than two days, else whole days. */
function stepOfAll(seconds: number): number {
  if (seconds < 2 * DAY) return HOUR;
  return DAY * Math.ceil((seconds / DAY + 1) / (MAX_PERIODS - 1));
}

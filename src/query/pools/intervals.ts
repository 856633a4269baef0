import type { ReadSession } from "../../store/session.ts";
import type { IndexedRange } from "../indexedRange.ts";

export const INTERVALS = { "1m": 60, "5m": 300, "15m": 900, "1h": 3600, "4h": 14_400, "1d": 86_400 } as const;

export type Interval = keyof typeof INTERVALS;

export interface IntervalRequest {
  readonly interval: Interval;
  readonly limit: number;
  /** Unix seconds, exclusive; undefined for the newest. */
  readonly before: number | undefined;
}

interface Intervals {
  readonly starts: readonly number[];
  /** First block of each interval, and the one after the last. */
  readonly blocks: readonly number[];
}

/** None after the newest block. */
export async function readIntervals(
  session: ReadSession,
  { first, tip }: IndexedRange,
  { interval, limit, before }: IntervalRequest,
): Promise<Intervals> {
  const seconds = INTERVALS[interval];
  const last = Math.floor(Math.min(before === undefined ? tip.timestamp : before - 1, tip.timestamp) / seconds);
  const starts = Array.from({ length: limit }, (_, at) => (last - limit + 1 + at) * seconds).filter(
    (time) => time >= 0,
  );
  const edges = [...starts, (last + 1) * seconds].map((time) => time - 1);
  return { starts, blocks: await session.blocks.firstAfterEach(edges, first, tip.number + 1) };
}

import type { ReadSession } from "../../store/session.ts";
import type { IndexedRange } from "../indexedRange.ts";

/** Seconds of each interval. They begin at multiples of it since 1970, days thus at midnight UTC. */
export const INTERVALS = { "1m": 60, "5m": 300, "15m": 900, "1h": 3600, "4h": 14_400, "1d": 86_400 } as const;

export type Interval = keyof typeof INTERVALS;

export interface IntervalRequest {
  readonly interval: Interval;
  /** How many intervals are looked at. */
  readonly limit: number;
  /** Seconds since 1970; intervals that begin before it. Without it the newest. */
  readonly before: number | undefined;
}

export interface Intervals {
  /** Seconds since 1970, oldest first. */
  readonly starts: readonly number[];
  /** The first block of each interval, and the one after the last interval. */
  readonly blocks: readonly number[];
}

/** The intervals of a request, none after the newest block. */
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

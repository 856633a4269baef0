import type { ReadSession } from "../../store/session.ts";
import type { IndexedRange } from "../indexedRange.ts";
import type { Range, Steps, Timeline } from "../timeline.ts";
import { readTimeline } from "../timeline.ts";

export const INTERVALS = { "1m": 60, "5m": 300, "15m": 900, "1h": 3600, "4h": 14_400, "1d": 86_400 } as const;

export type Interval = keyof typeof INTERVALS;

export interface IntervalRequest {
  readonly interval: Interval;
  readonly limit: number;
  /** Unix seconds, exclusive; undefined for the newest. */
  readonly before: number | undefined;
}

/** Up to the newest block, in periods whose length follows from the range. */
export interface RangeRequest {
  readonly range: Range;
}

const RANGE_STEPS: Steps = { "24h": 900, "7d": 14_400, "30d": 86_400 };

/** None after the newest block. "all" begins with the block `since`. */
export async function readIntervals(
  session: ReadSession,
  indexed: IndexedRange,
  request: IntervalRequest | RangeRequest,
  since: number,
): Promise<Timeline> {
  const { first, tip } = indexed;
  if ("range" in request) return readTimeline(session, indexed, request.range, RANGE_STEPS, since);
  const { interval, limit, before } = request;
  const step = INTERVALS[interval];
  const last = Math.floor(Math.min(before === undefined ? tip.timestamp : before - 1, tip.timestamp) / step);
  const starts = Array.from({ length: limit }, (_, at) => (last - limit + 1 + at) * step).filter((time) => time >= 0);
  const edges = [...starts, (last + 1) * step].map((time) => time - 1);
  return { step, starts, blocks: await session.blocks.firstAfterEach(edges, first, tip.number + 1) };
}

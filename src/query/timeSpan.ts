import type { Position } from "../store/rows/position.ts";
import { firstPosition } from "../store/rows/position.ts";
import type { ReadSession } from "../store/session.ts";
import { readIndexedRange } from "./indexedRange.ts";

/** Seconds since 1970, both included. */
export interface TimeSpan {
  readonly since: number | undefined;
  readonly until: number | undefined;
}

interface SpannedPositions {
  /** Above all that are wanted; undefined if the newest are. */
  readonly top: Position | undefined;
  readonly lowest: Position;
}

export async function positionsIn(session: ReadSession, { since, until }: TimeSpan): Promise<SpannedPositions> {
  const range = await readIndexedRange(session);
  if (range === undefined) return { top: undefined, lowest: 0 };
  const blockAfter = (time: number) => session.blocks.firstAfter(time, range.first, range.tip.number + 1);
  const [top, first] = await Promise.all([
    until === undefined ? undefined : blockAfter(until),
    since === undefined ? range.first : blockAfter(since - 1),
  ]);
  return { top: top === undefined ? undefined : firstPosition(top), lowest: firstPosition(first) };
}

import { ChainError } from "../../chain/error.ts";
import type { ExactSum } from "../../std/numbers.ts";
import type { ReadSession } from "../../store/session.ts";
import type { QueryContext } from "../context.ts";
import type { IndexedRange } from "../indexedRange.ts";
import { readIndexedRange } from "../indexedRange.ts";
import type { ReadParts } from "../readInParts.ts";
import { readInParts } from "../readInParts.ts";
import { DAY } from "../stats/chainFigures.ts";
import { totalsBetween } from "../totalsBetween.ts";

export const MAX_DAYS = 1000;

/** Days whose first blocks are searched for at once. */
const BATCH_SIZE = 30;

/** Days since 1970 in UTC, both included. */
export interface DaySpan {
  readonly from: number;
  readonly to: number;
}

/** A UTC day that has indexed blocks. */
export interface DayTotals {
  /** Unix seconds. */
  readonly start: number;
  readonly firstBlock: number;
  readonly lastBlock: number;
  readonly transactions: number;
  readonly addresses: number;
  readonly gasUsed: ExactSum;
  /** Seconds between blocks, as a sum; genesis, whose time is arbitrary, begins none. */
  readonly intervals: { readonly count: number; readonly seconds: number };
}

/** From the running totals in block rows: independent of the number of blocks. Oldest first. */
export function readDailyTotals({ store }: QueryContext, span: DaySpan): Promise<DayTotals[]> {
  return readInParts(store, Number.MAX_SAFE_INTEGER, (parts) => readDays(parts, span));
}

export async function readDays(parts: ReadParts, span: DaySpan): Promise<DayTotals[]> {
  const found = await parts.read(async (session) => {
    const [range, first] = await Promise.all([readIndexedRange(session), session.blocks.first()]);
    return range && first && { range, from: Math.floor(first.header.timestamp / DAY) };
  });
  if (found === undefined) return [];
  const { range } = found;
  const from = Math.max(span.from, found.from);
  const to = Math.min(span.to, Math.floor(range.tip.latest / DAY));
  if (to - from >= MAX_DAYS) {
    throw new ChainError("limit_exceeded", `over ${MAX_DAYS} days would have to be searched; ask for fewer`);
  }
  const days: DayTotals[] = [];
  for (let day = from; day <= to; day += BATCH_SIZE) {
    const last = Math.min(to, day + BATCH_SIZE - 1);
    days.push(...(await parts.read((session) => readSome(session, range, { from: day, to: last }))));
  }
  return days;
}

async function readSome(session: ReadSession, { first, tip }: IndexedRange, { from, to }: DaySpan) {
  const starts = Array.from({ length: to - from + 2 }, (_, at) => (from + at) * DAY);
  const past = starts.map((start) => start - 1);
  const borders = await session.blocks.firstAfterEach(past, first, tip.number + 1);
  const days = starts.slice(0, -1).flatMap((start, at) => {
    const [firstBlock = 0, end = 0] = borders.slice(at, at + 2);
    return end > firstBlock ? [{ start, firstBlock, lastBlock: end - 1 }] : [];
  });
  const earliest = Math.max(first, 1);
  const ends = days.flatMap(({ firstBlock, lastBlock }) => [firstBlock - 1, lastBlock]);
  const [totals, stamps] = await Promise.all([
    session.blocks.totals(ends),
    session.blocks.stamps([...ends, earliest].filter((number) => number >= earliest && number <= tip.number)),
  ]);
  const timeOf = (number: number) => stamps.get(number)?.timestamp ?? 0;
  return days.map(({ start, firstBlock, lastBlock }): DayTotals => {
    const { transactions, addresses, gasUsed } = totalsBetween(totals, firstBlock - 1, lastBlock);
    const previous = Math.max(firstBlock - 1, earliest);
    const count = Math.max(lastBlock - previous, 0);
    return {
      start,
      firstBlock,
      lastBlock,
      transactions,
      addresses,
      gasUsed,
      intervals: { count, seconds: count === 0 ? 0 : Math.max(timeOf(lastBlock) - timeOf(previous), 0) },
    };
  });
}

import type { QueryContext } from "../context.ts";
import { readIndexedRange } from "../indexedRange.ts";

/** Last block up to a time, or first block from it on. */
export function findBlockByTime(
  { store }: QueryContext,
  time: number,
  closest: "before" | "after",
): Promise<number | undefined> {
  return store.read(async (session) => {
    const range = await readIndexedRange(session);
    if (range === undefined) return undefined;
    const end = range.tip.number + 1;
    const past = closest === "before" ? time : time - 1;
    const [after = end] = await session.blocks.firstAfterEach([past], range.first, end);
    const found = closest === "before" ? after - 1 : after;
    return found >= range.first && found < end ? found : undefined;
  });
}

interface BlockSpan {
  readonly fromBlock: number;
  readonly toBlock: number;
}

export function findBlocksBetween(
  { store }: QueryContext,
  from: number | undefined,
  to: number | undefined,
): Promise<BlockSpan> {
  return store.read(async (session) => {
    const range = await readIndexedRange(session);
    if (range === undefined) return { fromBlock: 0, toBlock: -1 };
    const end = range.tip.number + 1;
    const times = [(from ?? 0) - 1, to ?? Number.MAX_SAFE_INTEGER];
    const [start = range.first, after = end] = await session.blocks.firstAfterEach(times, range.first, end);
    return { fromBlock: start, toBlock: after - 1 };
  });
}

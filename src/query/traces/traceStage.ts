import { ChainError } from "../../chain/error.ts";
import type { ReadSession } from "../../store/session.ts";
import type { IndexedRange } from "../indexedRange.ts";
import { readIndexedRange } from "../indexedRange.ts";

/** The blocks that are traced. They end where the traces stage is, which follows the index. */
export async function readTraceRange(session: ReadSession): Promise<IndexedRange | undefined> {
  const [range, at] = [await readIndexedRange(session), await session.traces.tip()];
  if (range === undefined || at?.number === range.tip.number) return range;
  const tip = at && (await session.blocks.tipAt(at.number));
  if (tip !== undefined) return { ...range, tip };
  const height = range.tip.number;
  throw new ChainError(
    "stage_behind",
    `Internal transactions are not indexed yet, or not turned on by --traces. The index is at block ${height}.`,
  );
}

export function notTraced(number: number, range: IndexedRange | undefined): ChainError {
  const text = `Internal transactions are indexed up to block ${range?.tip.number}, not yet of block ${number}.`;
  return new ChainError("stage_behind", text);
}

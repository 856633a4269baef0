import { ChainError } from "../chain/error.ts";
import type { ReadSession } from "../store/session.ts";
import type { IndexedRange } from "./indexedRange.ts";
import { readIndexedRange } from "./indexedRange.ts";

/** Undefined if the tokens stage is behind. */
export async function readTokenRange(session: ReadSession): Promise<IndexedRange | undefined> {
  const [range, block] = await Promise.all([readIndexedRange(session), session.tokens.tip()]);
  if (range?.tip.number === block) return range;
  const height = range?.tip.number;
  throw new ChainError(
    "stage_behind",
    block === undefined
      ? `Tokens are not indexed yet, or left out by --no-tokens. The index is at block ${height}.`
      : `Tokens are indexed up to block ${block} of ${height}.`,
  );
}

/** For results that are complete without tokens. */
export async function hasTokens(session: ReadSession, range: IndexedRange | undefined): Promise<boolean> {
  return range !== undefined && (await session.tokens.tip()) === range.tip.number;
}

/** Up to the traces stage, which follows the core. */
export async function readTraceRange(session: ReadSession): Promise<IndexedRange | undefined> {
  const [range, at] = await Promise.all([readIndexedRange(session), session.traces.tip()]);
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

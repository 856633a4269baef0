import type { Tip } from "../store/blocks.ts";
import type { ReadSession } from "../store/session.ts";
import type { HeadWatch } from "./node/headWatch.ts";

/** The blocks the index contains. */
export interface IndexedRange {
  readonly first: number;
  readonly tip: Tip;
}

export async function readIndexedRange(session: ReadSession): Promise<IndexedRange | undefined> {
  const tip = await session.blocks.tip();
  const first = await session.blocks.first();
  return tip === undefined || first === undefined ? undefined : { tip, first: first.header.number };
}

export function contains(range: IndexedRange | undefined, height: number): boolean {
  return range !== undefined && height >= range.first && height <= range.tip.number;
}

/** The highest block known of, indexed or not. */
export function knownHeight(
  { head }: { readonly head: HeadWatch | undefined },
  range: IndexedRange | undefined,
): number {
  return Math.max(range?.tip.number ?? 0, head?.known ?? 0);
}

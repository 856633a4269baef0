import type { BlockNumber } from "../chain/block/header.ts";
import type { Tip } from "../store/read/blocks.ts";
import type { ReadSession } from "../store/session.ts";
import type { HeadWatch } from "./node/headWatch.ts";

/** The blocks that are indexed. */
export interface IndexedRange {
  readonly first: BlockNumber;
  readonly tip: Tip;
}

export async function readIndexedRange(session: ReadSession): Promise<IndexedRange | undefined> {
  const tip = await session.blocks.tip();
  const first = await session.blocks.first();
  return tip === undefined || first === undefined ? undefined : { tip, first: first.header.number };
}

export function contains(range: IndexedRange | undefined, height: BlockNumber): boolean {
  return range !== undefined && height >= range.first && height <= range.tip.number;
}

/** The highest block known of, indexed or not: confirmations count from it. */
export function knownHeight(
  { node }: { readonly node: { readonly head: HeadWatch } | undefined },
  range: IndexedRange | undefined,
): number {
  return Math.max(range?.tip.number ?? 0, node?.head.known ?? 0);
}

/** 1 in the newest block known. */
export function confirmationsOf(height: number, number: number): number {
  return Math.max(height - number + 1, 1);
}

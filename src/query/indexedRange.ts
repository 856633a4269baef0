import type { BlockNumber } from "../chain/block/header.ts";
import type { Tip } from "../store/read/blocks.ts";
import type { ReadSession } from "../store/session.ts";
import type { HeadWatch } from "./node/headWatch.ts";

/** The blocks that are indexed. */
export interface IndexedRange {
  readonly first: BlockNumber;
  readonly tip: Tip;
  /** The newest of them that the node has, where it was last seen with others above. */
  readonly fork: number | undefined;
}

export async function readIndexedRange(session: ReadSession): Promise<IndexedRange | undefined> {
  const tip = await session.blocks.tip();
  const first = await session.blocks.first();
  if (tip === undefined || first === undefined) return undefined;
  return { tip, first: first.header.number, fork: await session.forkedAt() };
}

/** Whether the block at a height is the index's to answer. One that the node has replaced is not. */
export function contains(range: IndexedRange | undefined, height: BlockNumber): boolean {
  return range !== undefined && height >= range.first && height <= Math.min(range.tip.number, range.fork ?? height);
}

/** What confirmations count from. */
export interface KnownHeight {
  /** The highest block known of, indexed or not. */
  readonly newest: number;
  /** Blocks above it that are indexed were replaced. */
  readonly canonical: number;
}

export function knownHeight(
  { node }: { readonly node: { readonly head: HeadWatch } | undefined },
  range: IndexedRange | undefined,
): KnownHeight {
  const indexed = range?.fork ?? range?.tip.number ?? 0;
  // The index does not tell how far the node's branch is; whoever asks next knows.
  if (range?.fork !== undefined) void node?.head.current();
  return { newest: Math.max(indexed, node?.head.known ?? 0), canonical: range?.fork ?? Number.POSITIVE_INFINITY };
}

/** For views whose confirmations nobody sees. */
export const UNKNOWN_HEIGHT: KnownHeight = { newest: 0, canonical: Number.POSITIVE_INFINITY };

/** 1 in the newest block known, 0 in one that was replaced. */
export function confirmationsOf({ newest, canonical }: KnownHeight, number: number): number {
  return number > canonical ? 0 : Math.max(newest - number + 1, 1);
}

/** Of a block that the node has. */
export function confirmationsAtNode({ newest }: KnownHeight, number: number): number {
  return Math.max(newest - number + 1, 1);
}

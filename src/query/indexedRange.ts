import type { BlockNumber } from "../chain/block/header.ts";
import type { Tip } from "../store/read/blocks.ts";
import type { ReadSession } from "../store/session.ts";
import type { HeadWatch } from "./node/headWatch.ts";

export interface IndexedRange {
  readonly first: BlockNumber;
  readonly tip: Tip;
  /** Newest block shared with the node while it is on another branch. */
  readonly fork: number | undefined;
}

export async function readIndexedRange(session: ReadSession): Promise<IndexedRange | undefined> {
  const [tip, first, fork] = await Promise.all([session.blocks.tip(), session.blocks.first(), session.forkedAt()]);
  if (tip === undefined || first === undefined) return undefined;
  return { tip, first: first.header.number, fork };
}

/** Whether the index answers for a height. Replaced blocks are the node's. */
export function contains(range: IndexedRange | undefined, height: BlockNumber): boolean {
  return range !== undefined && height >= range.first && height <= Math.min(range.tip.number, range.fork ?? height);
}

export interface KnownHeight {
  /** Highest known block, indexed or not. */
  readonly newest: number;
  /** Indexed blocks above it were replaced. */
  readonly canonical: number;
}

export function knownHeight(
  { node }: { readonly node: { readonly head: HeadWatch } | undefined },
  range: IndexedRange | undefined,
): KnownHeight {
  const indexed = range?.fork ?? range?.tip.number ?? 0;
  // Refreshes the head in the background for the next request.
  if (range?.fork !== undefined) void node?.head.current();
  return { newest: Math.max(indexed, node?.head.known ?? 0), canonical: range?.fork ?? Number.POSITIVE_INFINITY };
}

export const UNKNOWN_HEIGHT: KnownHeight = { newest: 0, canonical: Number.POSITIVE_INFINITY };

/** 1 for the newest block, 0 for a replaced one. */
export function confirmationsOf({ newest, canonical }: KnownHeight, number: number): number {
  return number > canonical ? 0 : Math.max(newest - number + 1, 1);
}

/** Of a block from the node. */
export function confirmationsAtNode({ newest }: KnownHeight, number: number): number {
  return Math.max(newest - number + 1, 1);
}

import type { Tip } from "../store/blocks.ts";
import type { ReadSession } from "../store/session.ts";
import type { HeadWatch } from "./node/headWatch.ts";

/** The blocks the index holds. */
export interface Reach {
  readonly first: number;
  readonly tip: Tip;
}

export async function readReach(session: ReadSession): Promise<Reach | undefined> {
  const tip = await session.blocks.tip();
  const first = await session.blocks.first();
  return tip === undefined || first === undefined ? undefined : { tip, first: first.header.number };
}

export function holds(reach: Reach | undefined, height: number): boolean {
  return reach !== undefined && height >= reach.first && height <= reach.tip.number;
}

/** The highest block known of, indexed or not. */
export function knownHeight({ head }: { readonly head: HeadWatch | undefined }, reach: Reach | undefined): number {
  return Math.max(reach?.tip.number ?? 0, head?.known ?? 0);
}

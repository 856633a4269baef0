import { equalBytes } from "../chain/encoding/bytes.ts";
import type { Head, Source } from "../chain/source.ts";
import { JOURNALED_BLOCKS } from "../store/store.ts";

/** Which blocks are journaled: so many up to the newest. */
export interface Journal {
  readonly head: number;
  readonly blocks: number;
}

/**
 * The journal reaches back to what the node calls finalized, within limits. Blocks far below the head go without one,
 * so a head that is far above the next block is believed only where the node has its block: one wrong answer would
 * leave a gap that no reorganisation could be followed across.
 */
export async function journalFor(source: Source, head: Head, next: number): Promise<Journal> {
  const { least, most } = JOURNALED_BLOCKS;
  const blocks = Math.min(Math.max(head.number - head.finalized, least), most);
  const isNear = head.number - next < blocks;
  return { head: isNear || (await hasBlock(source, head)) ? head.number : next, blocks };
}

async function hasBlock(source: Source, { number, hash }: Head): Promise<boolean> {
  const [found] = await source.hashes([number]);
  return found !== undefined && equalBytes(found, hash);
}

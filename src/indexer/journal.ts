import { equalBytes } from "../chain/encoding/bytes.ts";
import type { Head, Source } from "../chain/source.ts";
import { JOURNALED_BLOCKS } from "../store/store.ts";

/** Number of newest blocks with undo records. */
export interface Journal {
  readonly head: number;
  readonly blocks: number;
}

/**
 * The journal covers blocks that are not finalized, within limits. A head far above the next block is only believed if
 * the node has its block: one false head would leave a gap that no reorg can be followed across.
 */
export async function journalFor(source: Source, head: Head, next: number): Promise<Journal> {
  const { min, max } = JOURNALED_BLOCKS;
  const blocks = Math.min(Math.max(head.number - head.finalized, min), max);
  const isNear = head.number - next < blocks;
  return { head: isNear || (await hasBlock(source, head)) ? head.number : next, blocks };
}

async function hasBlock(source: Source, { number, hash }: Head): Promise<boolean> {
  const [found] = await source.hashes([number]);
  return found !== undefined && equalBytes(found, hash);
}

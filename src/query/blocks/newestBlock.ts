import type { QueryContext } from "../context.ts";
import { knownHeight, readIndexedRange } from "../indexedRange.ts";
import type { SummedBlock } from "./block.ts";

export async function readNewestNumber({ store }: QueryContext): Promise<number | undefined> {
  return (await store.read(readIndexedRange))?.tip.number;
}

/** Highest known block, indexed or not. */
export async function readHeight(context: QueryContext): Promise<number> {
  return knownHeight(context, await context.store.read(readIndexedRange)).newest;
}

export function readNewestBlocks({ store }: QueryContext, count: number): Promise<readonly SummedBlock[]> {
  return store.read(async (session) => {
    const range = await readIndexedRange(session);
    if (range === undefined) return [];
    return session.blocks.range(Math.max(range.tip.number - count + 1, range.first), count);
  });
}

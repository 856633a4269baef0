import { ChainError } from "../chain/error.ts";
import { firstPosition } from "../store/rows/position.ts";
import type { OrdinalList } from "../store/write/list.ts";

/** Some items of a list: of the blocks [fromBlock, toBlock], in one order, after as many others. */
export interface BlockWindow {
  readonly fromBlock: number;
  readonly toBlock: number;
  readonly order: "asc" | "desc";
  readonly skip: number;
  readonly limit: number;
}

/** The positions of those items, in their order. */
export async function readBlockWindow(list: OrdinalList, window: BlockWindow): Promise<number[]> {
  return slice(list, await ordinalsOfBlocks(list, window), window);
}

/** The ordinals [start, end) of a list. */
interface Ordinals {
  readonly start: number;
  readonly end: number;
}

async function slice(
  list: OrdinalList,
  { start, end }: Ordinals,
  { skip, limit, order }: Pick<BlockWindow, "skip" | "limit" | "order">,
): Promise<number[]> {
  if (order === "asc") return list.slice(start + skip, Math.min(start + skip + limit, end));
  const to = Math.max(end - skip, start);
  return (await list.slice(Math.max(to - limit, start), to)).reverse();
}

/** Those of the items in some blocks. */
async function ordinalsOfBlocks(
  list: OrdinalList,
  { fromBlock, toBlock }: Pick<BlockWindow, "fromBlock" | "toBlock">,
): Promise<Ordinals> {
  const count = await list.count();
  const start = await ordinalAt(list, firstPosition(fromBlock), count);
  return { start, end: Math.max(start, await ordinalAt(list, firstPosition(toBlock + 1), count)) };
}

/** The ordinal of the first item at or above a position. */
async function ordinalAt(list: OrdinalList, position: number, count: number): Promise<number> {
  let [low, high] = [0, count];
  if (position <= 0) return 0;
  if ((await positionAt(list, count - 1)) < position) return count;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((await positionAt(list, middle)) >= position) high = middle;
    else low = middle + 1;
  }
  return low;
}

async function positionAt(list: OrdinalList, ordinal: number): Promise<number> {
  return (await list.slice(ordinal, ordinal + 1))[0] ?? -1;
}

/** Items that are looked at where only some of a list are wanted. */
export const MOST_SEARCHED = 100_000;

const AT_ONCE = 500;

/** The wanted ones of the items of some blocks, found by looking at one after another. */
export async function searchBlockWindow<T>(
  list: OrdinalList,
  window: BlockWindow,
  read: (positions: readonly number[]) => Promise<T[]>,
  isWanted: (item: T) => boolean,
): Promise<T[]> {
  const ordinals = await ordinalsOfBlocks(list, window);
  const found: T[] = [];
  let skipped = 0;
  for (let at = 0; at < ordinals.end - ordinals.start && found.length < window.limit; at += AT_ONCE) {
    if (at >= MOST_SEARCHED) {
      throw new ChainError(
        "limit_exceeded",
        `over ${MOST_SEARCHED} items would have to be searched; ask for fewer blocks`,
      );
    }
    const positions = await slice(list, ordinals, { order: window.order, skip: at, limit: AT_ONCE });
    for (const item of (await read(positions)).filter(isWanted)) {
      if (skipped < window.skip) skipped++;
      else if (found.length < window.limit) found.push(item);
    }
  }
  return found;
}

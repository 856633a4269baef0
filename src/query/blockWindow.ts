import type { BlockNumber } from "../chain/block/header.ts";
import { ChainError } from "../chain/error.ts";
import type { Ordinal, Position } from "../store/rows/position.ts";
import { firstPosition } from "../store/rows/position.ts";
import type { ReadSession } from "../store/session.ts";
import type { SearchableList } from "../store/tables/list.ts";
import type { ReadParts } from "./readInParts.ts";

export interface BlockWindow {
  readonly fromBlock: BlockNumber;
  readonly toBlock: BlockNumber;
  readonly order: "asc" | "desc";
  readonly skip: number;
  readonly limit: number;
}

interface ListedItems<T> {
  list(session: ReadSession): SearchableList | Promise<SearchableList>;
  /** In the order of the ascending positions. */
  read(session: ReadSession, positions: readonly Position[]): Promise<readonly T[]>;
  /** Filter; matches are found by scanning. */
  readonly isWanted?: ((item: T) => boolean) | undefined;
}

/** Items scanned for a filter. */
export const MAX_SEARCHED = 100_000;

export const BATCH_SIZE = 500;

/** Reads a window of a list in batches; `find` locates it in the first session. */
export async function readBlockWindow<T, L>(
  parts: ReadParts,
  window: BlockWindow,
  find: (session: ReadSession) => Promise<L & ListedItems<T>>,
  maxSearched = MAX_SEARCHED,
): Promise<{ readonly listed: L; readonly items: readonly T[] }> {
  const { listed, walk } = await parts.read(async (session) => {
    const listed = await find(session);
    const ordinals = await ordinalsOfBlocks(await listed.list(session), window);
    const walk = new WindowWalk(listed, window, ordinals, maxSearched);
    await walk.readPart(session);
    return { listed, walk };
  });
  while (!walk.isDone) await parts.read((session) => walk.readPart(session));
  return { listed, items: walk.found };
}

interface Ordinals {
  readonly start: Ordinal;
  readonly end: Ordinal;
}

async function ordinalsOfBlocks(
  list: SearchableList,
  { fromBlock, toBlock }: Pick<BlockWindow, "fromBlock" | "toBlock">,
): Promise<Ordinals> {
  if (fromBlock === 0 && toBlock === Number.MAX_SAFE_INTEGER) return { start: 0, end: await list.count() };
  const [start = 0, end = 0] = await list.ordinalsOf([firstPosition(fromBlock), firstPosition(toBlock + 1)]);
  return { start, end: Math.max(start, end) };
}

/** Cursor over a window. Entries added meanwhile are above it. */
class WindowWalk<T> {
  readonly found: T[] = [];
  readonly #listed: ListedItems<T>;
  readonly #window: BlockWindow;
  readonly #ordinals: Ordinals;
  readonly #maxSearched: number;
  #passed: number;
  #skipped = 0;

  constructor(listed: ListedItems<T>, window: BlockWindow, ordinals: Ordinals, maxSearched: number) {
    this.#listed = listed;
    this.#window = window;
    this.#ordinals = ordinals;
    this.#maxSearched = maxSearched;
    this.#passed = listed.isWanted === undefined ? window.skip : 0;
  }

  get isDone(): boolean {
    const { start, end } = this.#ordinals;
    return this.#passed >= end - start || this.found.length >= this.#window.limit;
  }

  async readPart(session: ReadSession): Promise<void> {
    if (this.isDone) return;
    const { isWanted } = this.#listed;
    const max = isWanted === undefined ? this.#window.limit - this.found.length : this.#maxSearched - this.#passed;
    const count = Math.min(BATCH_SIZE, max);
    if (isWanted !== undefined && this.#passed >= this.#maxSearched) {
      const text = `over ${this.#maxSearched} items would have to be searched; ask for fewer blocks`;
      throw new ChainError("limit_exceeded", text);
    }
    const items = await this.#listed.read(session, await this.#positions(session, count));
    this.#passed += count;
    const inOrder = this.#window.order === "asc" ? items : items.toReversed();
    for (const item of isWanted === undefined ? inOrder : inOrder.filter(isWanted)) this.#take(item);
  }

  #take(item: T): void {
    const isSkipped = this.#listed.isWanted !== undefined && this.#skipped < this.#window.skip;
    if (isSkipped) this.#skipped++;
    else if (this.found.length < this.#window.limit) this.found.push(item);
  }

  async #positions(session: ReadSession, count: number): Promise<Position[]> {
    const { start, end } = this.#ordinals;
    const list = await this.#listed.list(session);
    if (this.#window.order === "asc") {
      const from = start + this.#passed;
      return list.slice(from, Math.min(from + count, end));
    }
    const to = end - this.#passed;
    return list.slice(Math.max(to - count, start), to);
  }
}

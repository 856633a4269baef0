import type { BlockNumber } from "../chain/block/header.ts";
import { ChainError } from "../chain/error.ts";
import type { Ordinal, Position } from "../store/rows/position.ts";
import { firstPosition } from "../store/rows/position.ts";
import type { ReadSession } from "../store/session.ts";
import type { SearchableList } from "../store/tables/list.ts";
import type { ReadParts } from "./readInParts.ts";

/** Some items of a list: of the blocks [fromBlock, toBlock], in one order, after as many others. */
export interface BlockWindow {
  readonly fromBlock: BlockNumber;
  readonly toBlock: BlockNumber;
  readonly order: "asc" | "desc";
  readonly skip: number;
  readonly limit: number;
}

/** A list, and what is read of it. */
export interface ListedItems<T> {
  /** The list as a session has it. */
  list(session: ReadSession): SearchableList | Promise<SearchableList>;
  /** The items at some ascending positions, in their order. */
  read(session: ReadSession, positions: readonly Position[]): Promise<readonly T[]>;
  /** Where only some of a list are wanted: they are found by looking at one after another. */
  readonly isWanted?: ((item: T) => boolean) | undefined;
}

/** Items that are looked at where only some of a list are wanted. */
export const MAX_SEARCHED = 100_000;

/** Items of one part. */
export const BATCH_SIZE = 500;

/** Reads the items of a window of a list, which `find` finds in the first part. */
export async function readBlockWindow<T, L>(
  parts: ReadParts,
  window: BlockWindow,
  find: (session: ReadSession) => Promise<L & ListedItems<T>>,
  mostSearched = MAX_SEARCHED,
): Promise<{ readonly listed: L; readonly items: readonly T[] }> {
  const { listed, walk } = await parts.read(async (session) => {
    const listed = await find(session);
    const ordinals = await ordinalsOfBlocks(await listed.list(session), window);
    const walk = new WindowWalk(listed, window, ordinals, mostSearched);
    await walk.readPart(session);
    return { listed, walk };
  });
  while (!walk.isDone) await parts.read((session) => walk.readPart(session));
  return { listed, items: walk.found };
}

/** The ordinals [start, end) of a list. */
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

/** The way through a window, part by part. Entries that are added meanwhile are above it. */
class WindowWalk<T> {
  readonly found: T[] = [];
  readonly #listed: ListedItems<T>;
  readonly #window: BlockWindow;
  readonly #ordinals: Ordinals;
  readonly #mostSearched: number;
  /** Entries of the window that were passed. */
  #passed: number;
  #skipped = 0;

  constructor(listed: ListedItems<T>, window: BlockWindow, ordinals: Ordinals, mostSearched: number) {
    this.#listed = listed;
    this.#window = window;
    this.#ordinals = ordinals;
    this.#mostSearched = mostSearched;
    this.#passed = listed.isWanted === undefined ? window.skip : 0;
  }

  get isDone(): boolean {
    const { start, end } = this.#ordinals;
    return this.#passed >= end - start || this.found.length >= this.#window.limit;
  }

  async readPart(session: ReadSession): Promise<void> {
    if (this.isDone) return;
    const { isWanted } = this.#listed;
    const most = isWanted === undefined ? this.#window.limit - this.found.length : this.#mostSearched - this.#passed;
    const count = Math.min(BATCH_SIZE, most);
    if (isWanted !== undefined && this.#passed >= this.#mostSearched) {
      const text = `over ${this.#mostSearched} items would have to be searched; ask for fewer blocks`;
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

import type { Reader } from "../engine/database.ts";
import type { Ordinal, Position } from "../rows/position.ts";
import type { ListReads } from "../tables/list.ts";
import { RUN } from "../tables/listRuns.ts";
import type { TagCounts } from "../tables/tagCounts.ts";
import { FANOUT, sizeOf } from "../tables/tagCounts.ts";

const BATCH_SIZE = 16 * RUN;

/** Entries of a list with one of some tags, by rank from 0. */
export class TaggedList {
  readonly #db: Reader;
  readonly #list: ListReads;
  readonly #counts: TagCounts;
  readonly #owner: number;
  readonly #tags: readonly number[];

  constructor(
    db: Reader,
    { list, counts }: { readonly list: ListReads; readonly counts: TagCounts },
    { owner, tags }: { readonly owner: number; readonly tags: readonly number[] },
  ) {
    this.#db = db;
    this.#list = list;
    this.#counts = counts;
    this.#owner = owner;
    this.#tags = tags;
  }

  async rankOf(ordinal: Ordinal): Promise<number> {
    let [rank, counted] = [0, 0];
    for (let level = topLevel(ordinal); level >= 0; level--) {
      const size = sizeOf(level);
      const end = Math.floor(ordinal / size);
      for (const count of await this.#read(level, counted / size, end)) rank += count;
      counted = end * size;
    }
    for (const { tag } of await this.#list.slice(this.#owner, counted, ordinal)) if (this.#tags.includes(tag)) rank++;
    return rank;
  }

  async slice(rank: number, count: number, end: Position = Number.POSITIVE_INFINITY): Promise<Position[]> {
    const positions: Position[] = [];
    if (count <= 0) return positions;
    for await (const position of this.from(rank)) {
      if (position >= end) break;
      if (positions.push(position) === count) break;
    }
    return positions;
  }

  async *from(rank: number): AsyncGenerator<Position> {
    const length = await this.#list.count(this.#owner);
    let { ordinal, skipped } = await this.#find(rank, length);
    while (ordinal < length) {
      ordinal = await this.#nextRegion(ordinal, length);
      const end = Math.min(ordinal + BATCH_SIZE - (ordinal % BATCH_SIZE), length);
      for (const { position, tag } of await this.#list.slice(this.#owner, ordinal, end)) {
        if (!this.#tags.includes(tag)) continue;
        if (skipped === 0) yield position;
        else skipped--;
      }
      ordinal = end;
    }
  }

  /** Ordinal to start at, and matches to skip from there. */
  async #find(rank: number, length: number): Promise<{ ordinal: Ordinal; skipped: number }> {
    let [ordinal, skipped] = [0, rank];
    for (let level = topLevel(length); level >= 0; level--) {
      const size = sizeOf(level);
      for (const count of await this.#read(level, ordinal / size, nodesEnd(ordinal, level, length))) {
        if (skipped < count) break;
        skipped -= count;
        ordinal += size;
      }
    }
    return { ordinal, skipped };
  }

  /** Skips regions whose count is zero. */
  async #nextRegion(start: number, length: number): Promise<number> {
    let ordinal = start;
    for (let level = levelAt(ordinal, length); level >= 0; ) {
      const counts = await this.#read(level, ordinal / sizeOf(level), nodesEnd(ordinal, level, length));
      const first = counts.findIndex((count) => count > 0);
      ordinal += (first < 0 ? counts.length : first) * sizeOf(level);
      level = first < 0 ? levelAt(ordinal, length) : level - 1;
    }
    return ordinal;
  }

  async #read(level: number, from: number, to: number): Promise<number[]> {
    const counts = await this.#counts.read(this.#db, this.#owner, level, from, to);
    return counts.map((each) => this.#tags.reduce((sum, tag) => sum + (each.get(tag) ?? 0), 0));
  }
}

/** Highest level with a complete count below an ordinal, or -1. */
function topLevel(ordinal: number): number {
  let level = -1;
  while (sizeOf(level + 1) <= ordinal) level++;
  return level;
}

/** Highest level with a complete count that starts at an ordinal, or -1. */
function levelAt(ordinal: number, length: number): number {
  let level = -1;
  while (ordinal % sizeOf(level + 1) === 0 && ordinal + sizeOf(level + 1) <= length) level++;
  return level;
}

/** End of the complete counts of a level before the next higher level takes over. */
function nodesEnd(ordinal: number, level: number, length: number): number {
  const next = (Math.floor(ordinal / sizeOf(level + 1)) + 1) * FANOUT;
  return Math.min(Math.floor(length / sizeOf(level)), next);
}

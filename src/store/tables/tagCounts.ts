import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { Reader, Row, Writer } from "../engine/database.ts";
import { readNumber } from "../engine/database.ts";
import { ByteReader, ByteWriter } from "../rows/encoding.ts";
import type { Growth } from "./list.ts";
import { decodeEntries, RUN } from "./listRuns.ts";

/** Runs per count, and counts per count of the next level. */
export const FANOUT = 64;

/** Entries per count at the lowest level. */
export const COUNTED = RUN * FANOUT;

/** Entries per count at a level. */
export const sizeOf = (level: number): number => COUNTED * FANOUT ** level;

type Counts = ReadonlyMap<number, number>;

/**
 * Hierarchical tag counts over sealed runs: per 64 runs, per 64 of those, and so on. The n-th entry with a tag, and the
 * rank of an ordinal, take a few short reads in a list of any length; nothing is written for fewer than 8,192 added
 * entries. Derived from the runs alone.
 */
export class TagCounts {
  readonly #table: string;
  readonly #runs: string;

  constructor(list: string) {
    this.#table = `${list}_count`;
    this.#runs = `${list}_run`;
  }

  /** Adds counts that became complete. Call after the runs are written. */
  async grow(writer: Writer, lists: readonly Growth[]): Promise<void> {
    for (const { owner, before, after } of lists) {
      for (let level = 0; sizeOf(level) <= after; level++) {
        const rows: Row[] = [];
        const end = Math.floor(after / sizeOf(level));
        for (let node = Math.floor(before / sizeOf(level)); node < end; node++) {
          const counts =
            level === 0 ? await this.#count(writer, owner, node) : await this.#addUp(writer, owner, level, node);
          rows.push([owner, level, node, writeCounts(counts)]);
        }
        if (rows.length > 0) await writer.insert(this.#table, ["owner", "level", "node", "body"], rows);
      }
    }
  }

  /** Drops counts that are no longer complete. */
  async shrink(writer: Writer, lists: readonly Growth[]): Promise<void> {
    for (const { owner, before, after } of lists) {
      for (let level = 0; sizeOf(level) <= before; level++) {
        const sql = `DELETE FROM ${this.#table} WHERE owner = ? AND level = ? AND node >= ?`;
        await writer.run(sql, owner, level, Math.floor(after / sizeOf(level)));
      }
    }
  }

  async read(db: Reader, owner: number, level: number, from: number, to: number): Promise<Counts[]> {
    return to <= from ? [] : (await this.rows(db, owner, level, from, to)).map(readCounts);
  }

  async rows(db: Reader, owner: number, level: number, from: number, to: number): Promise<Bytes[]> {
    const sql = `SELECT body FROM ${this.#table} WHERE owner = ? AND level = ? AND node >= ? AND node < ? ORDER BY node`;
    return (await db.all<[Bytes]>(sql, owner, level, from, to)).map(([body]) => body);
  }

  async total(db: Reader): Promise<number> {
    return readNumber(db, `SELECT count(*) FROM ${this.#table}`);
  }

  async #count(writer: Writer, owner: number, node: number): Promise<Counts> {
    const sql = `SELECT body FROM ${this.#runs} WHERE owner = ? AND ordinal >= ? AND ordinal < ?`;
    const rows = await writer.all<[Bytes]>(sql, owner, node * COUNTED, (node + 1) * COUNTED);
    const counts = new Map<number, number>();
    for (const [body] of rows) {
      for (const { tag } of decodeEntries(body, true)) counts.set(tag, (counts.get(tag) ?? 0) + 1);
    }
    return counts;
  }

  async #addUp(writer: Writer, owner: number, level: number, node: number): Promise<Counts> {
    const sum = new Map<number, number>();
    for (const counts of await this.read(writer, owner, level - 1, node * FANOUT, (node + 1) * FANOUT)) {
      for (const [tag, count] of counts) sum.set(tag, (sum.get(tag) ?? 0) + count);
    }
    return sum;
  }
}

export function writeCounts(counts: Counts): Bytes {
  const writer = new ByteWriter(16);
  let last = 0;
  for (const [tag, count] of [...counts].sort(([a], [b]) => a - b)) {
    writer.varint(tag - last);
    writer.varint(count);
    last = tag;
  }
  return writer.copy();
}

export function readCounts(body: Bytes): Counts {
  const counts = new Map<number, number>();
  let tag = 0;
  for (const reader = new ByteReader(body); !reader.done; ) {
    tag += reader.varint();
    counts.set(tag, reader.varint());
  }
  return counts;
}

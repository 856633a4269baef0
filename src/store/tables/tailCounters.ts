import type { Bytes } from "../../chain/encoding/bytes.ts";
import { EMPTY } from "../../chain/encoding/bytes.ts";
import type { Reader, Row, Writer } from "../engine/database.ts";
import { viewOf } from "../rows/byteRange.ts";
import type { Codec } from "../rows/codec.ts";
import type { PackedColumns } from "../rows/packedRows.ts";
import { unpackRows } from "../rows/packedRows.ts";

/** Another column of the tail rows of a list, empty where an owner has no value. */
export interface TailColumn {
  readonly name: string;
  /** Returns the value that replaces `stored`. */
  next(owner: number, stored: Bytes): Bytes;
}

export interface CounterCodec<T> extends Codec<T> {
  add(one: T, other: T): T;
}

/**
 * Counters in the tail row of an owner's list, so that a batch reads and writes one row for both. Blocks that are final
 * are summed up without reading; the value before an unwindable block's first change is journaled.
 */
export class TailCounters<T> implements TailColumn {
  readonly name: string;
  readonly #tails: string;
  readonly #codec: CounterCodec<T>;
  /** Whole values of ids that are loaded, of others what to add to the stored one. */
  #values = new Map<number, T>();
  #loaded = new Set<number>();
  #changed = new Set<number>();
  #journal: Row[] = [];
  #journaled = new Set<number>();
  #block: number | undefined;

  /** `name` is that of the column, and the source in the journal. */
  constructor(list: string, name: string, codec: CounterCodec<T>) {
    this.name = name;
    this.#tails = `${list}_tail`;
    this.#codec = codec;
  }

  /** Ids that are stored and that an unwindable block changes. */
  async load(db: Reader, ids: readonly number[]): Promise<void> {
    const missing = ids.filter((id) => !this.#loaded.has(id));
    const sql = `SELECT ${db.dialect.pack("owner", this.name)} FROM ${this.#tails} WHERE owner IN ($keys)`;
    for (const row of unpackRows(await db.load<PackedColumns>(sql, missing))) {
      if (row.start === row.end) continue;
      const [stored, added] = [this.#codec.read(viewOf(row)), this.#values.get(row.key)];
      this.#values.set(row.key, added === undefined ? stored : this.#codec.add(stored, added));
    }
    for (const id of missing) this.#loaded.add(id);
  }

  /** Undefined: final, not journaled. */
  begin(block: number | undefined): void {
    this.#block = block;
    this.#journaled.clear();
  }

  get(id: number): T | undefined {
    return this.#values.get(id);
  }

  set(id: number, value: T): void {
    if (this.#block !== undefined && !this.#journaled.has(id)) {
      const before = this.#values.get(id);
      this.#journal.push([this.#block, this.name, id, before === undefined ? null : this.#codec.write(before)]);
      this.#journaled.add(id);
    }
    this.#changed.add(id);
    this.#values.set(id, value);
  }

  next(owner: number, stored: Bytes): Bytes {
    if (!this.#changed.has(owner)) return stored;
    const value = this.#values.get(owner)!;
    const isWhole = stored.length === 0 || this.#loaded.has(owner);
    return this.#codec.write(isWhole ? value : this.#codec.add(this.#codec.read(stored), value));
  }

  /** After the list is flushed. */
  async flushJournal(writer: Writer): Promise<void> {
    await writer.insert("journal", ["block", "source", "id", "before"], this.#journal);
    this.clear();
  }

  clear(): void {
    this.#values = new Map();
    this.#loaded = new Set();
    this.#changed = new Set();
    this.#journal = [];
    this.#journaled = new Set();
    this.#block = undefined;
  }

  /** The column with values from before `block`. */
  async before(db: Reader, block: number): Promise<TailColumn> {
    const sql = "SELECT id, before FROM journal WHERE source = ? AND block >= ? ORDER BY block DESC";
    const before = new Map(await db.all<[number, Bytes | null]>(sql, this.name, block));
    const next = (owner: number, stored: Bytes) => {
      const restored = before.get(owner);
      return restored === undefined ? stored : (restored ?? EMPTY);
    };
    return { name: this.name, next };
  }
}

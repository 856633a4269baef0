import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { Reader, Row, Writer } from "../engine/database.ts";
import { viewOf } from "../rows/byteRange.ts";
import type { Codec } from "../rows/codec.ts";
import type { PackedColumns } from "../rows/packedRows.ts";
import { unpackRows } from "../rows/packedRows.ts";

export interface Change<T> {
  readonly id: number;
  readonly before: T | undefined;
  readonly after: T | undefined;
}

/**
 * Rows that change in place (counters, balances): loaded per batch, changed in memory, written once. The value before
 * an unwindable block's first change is journaled.
 */
export class MutableRows<T> {
  readonly #table: string;
  readonly #codec: Codec<T>;
  #values = new Map<number, T | undefined>();
  /** With their values before the batch. */
  #changed = new Map<number, T | undefined>();
  #journal: Row[] = [];
  #journaled = new Set<number>();
  #block: number | undefined;

  constructor(table: string, codec: Codec<T>) {
    this.#table = table;
    this.#codec = codec;
  }

  async load(db: Reader, ids: readonly number[]): Promise<void> {
    const missing = ids.filter((id) => !this.#values.has(id));
    for (const id of missing) this.#values.set(id, undefined);
    const sql = `SELECT ${db.dialect.pack("id", "value")} FROM ${this.#table} WHERE id IN ($keys)`;
    for (const row of unpackRows(await db.load<PackedColumns>(sql, missing)))
      this.#values.set(row.key, this.#codec.read(viewOf(row)));
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
      this.#journal.push([this.#block, this.#table, id, before === undefined ? null : this.#codec.write(before)]);
      this.#journaled.add(id);
    }
    if (!this.#changed.has(id)) this.#changed.set(id, this.#values.get(id));
    this.#values.set(id, value);
  }

  changes(): Change<T>[] {
    return [...this.#changed].map(([id, before]) => ({ id, before, after: this.#values.get(id) }));
  }

  async flush(writer: Writer): Promise<void> {
    const ids = [...this.#changed.keys()].sort((a, b) => a - b);
    const asRow = (id: number): Row => [id, this.#codec.write(this.#values.get(id)!)];
    const isStored = (id: number) => this.#changed.get(id) !== undefined;
    const isNew = (id: number) => this.#changed.get(id) === undefined;
    await writer.update(this.#table, ["id", "value"], ids.filter(isStored).map(asRow));
    await writer.insert(this.#table, ["id", "value"], ids.filter(isNew).map(asRow));
    await writer.insert("journal", ["block", "source", "id", "before"], this.#journal);
    this.clear();
  }

  clear(): void {
    this.#values = new Map();
    this.#changed = new Map();
    this.#journal = [];
    this.#journaled = new Set();
    this.#block = undefined;
  }

  /** Restores values from before `block`. Returns the changes. */
  async restore(writer: Writer, block: number): Promise<Change<T>[]> {
    const sql = "SELECT id, before FROM journal WHERE source = ? AND block >= ? ORDER BY block DESC";
    const before = new Map<number, Bytes | null>();
    const rows = await writer.all<[number, Bytes | null]>(sql, this.#table, block);
    for (const [id, value] of rows) before.set(id, value);
    await this.load(writer, [...before.keys()]);
    const gone: Row[] = [];
    const back: Row[] = [];
    for (const [id, value] of before) value === null ? gone.push([id]) : back.push([id, value]);
    await writer.remove(this.#table, ["id"], gone);
    await writer.upsert(this.#table, ["id", "value"], back);
    const changes = [...before].map(([id, value]) => ({
      id,
      before: this.#values.get(id),
      after: value === null ? undefined : this.#codec.read(value),
    }));
    this.clear();
    return changes;
  }
}

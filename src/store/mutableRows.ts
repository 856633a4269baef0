import type { Bytes } from "../chain/bytes.ts";
import type { Engine, Row } from "./engine/engine.ts";

export interface Codec<T> {
  read(bytes: Bytes): T;
  write(value: T): Bytes;
}

/**
 * Rows that change in place (counters, balances): loaded for a batch, changed in memory block by block, written once.
 * For blocks that may still be unwound the value before each block's first change goes to the journal.
 */
export class MutableRows<T> {
  readonly #engine: Engine;
  readonly #table: string;
  readonly #codec: Codec<T>;
  #values = new Map<number, T | undefined>();
  #changed = new Set<number>();
  #journal: Row[] = [];
  #journaled = new Set<number>();
  #block: number | undefined;

  constructor(engine: Engine, table: string, codec: Codec<T>) {
    this.#engine = engine;
    this.#table = table;
    this.#codec = codec;
  }

  /** Loads the rows that are not loaded yet. */
  async load(ids: readonly number[]): Promise<void> {
    const missing = ids.filter((id) => !this.#values.has(id));
    for (const id of missing) this.#values.set(id, undefined);
    const rows = await this.#engine.load(`SELECT id, value FROM ${this.#table} WHERE id IN ($keys)`, missing);
    for (const [id, value] of rows) this.#values.set(id as number, this.#codec.read(value as Bytes));
  }

  /** Begins the changes of a block; without a number they are final and not journaled. */
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
    this.#values.set(id, value);
    this.#changed.add(id);
  }

  async flush(): Promise<void> {
    const ids = [...this.#changed].sort((a, b) => a - b);
    await this.#engine.upsert(
      this.#table,
      ["id", "value"],
      ids.map((id): Row => [id, this.#codec.write(this.#values.get(id)!)]),
    );
    await this.#engine.insert("journal", ["block", "source", "id", "before"], this.#journal);
    this.clear();
  }

  clear(): void {
    this.#values = new Map();
    this.#changed = new Set();
    this.#journal = [];
    this.#journaled = new Set();
    this.#block = undefined;
  }

  /** Puts back the values from before the journaled blocks at and above `block`. */
  async restore(block: number): Promise<void> {
    const sql = "SELECT id, before FROM journal WHERE source = ? AND block >= ? ORDER BY block DESC";
    const before = new Map<number, Bytes | null>();
    for (const [id, value] of await this.#engine.all(sql, this.#table, block))
      before.set(id as number, value as Bytes | null);
    const gone: Row[] = [];
    const back: Row[] = [];
    for (const [id, value] of before) value === null ? gone.push([id]) : back.push([id, value]);
    await this.#engine.remove(this.#table, ["id"], gone);
    await this.#engine.upsert(this.#table, ["id", "value"], back);
  }
}

import type { Recent } from "../../std/recent.ts";
import type { Engine, Row, Value } from "./engine.ts";

/** Keys that are looked up in one turn. */
const KEYS_AT_ONCE = 500;

/** A database for reading that waits for its turn before every statement. */
export class PacedEngine implements Engine {
  readonly dialect: Engine["dialect"];
  readonly #engine: Engine;
  readonly #turn: () => Promise<void>;

  constructor(engine: Engine, turn: () => Promise<void>) {
    this.dialect = engine.dialect;
    this.#engine = engine;
    this.#turn = turn;
  }

  async all(sql: string, ...parameters: Value[]): Promise<Row[]> {
    await this.#turn();
    return this.#engine.all(sql, ...parameters);
  }

  load(sql: string, keys: readonly Value[]): Promise<Row[]> {
    return this.#inTurns(keys, (some) => this.#engine.load(sql, some));
  }

  loadPairs(sql: string, pairs: readonly (readonly [Value, Value])[]): Promise<Row[]> {
    return this.#inTurns(pairs, (some) => this.#engine.loadPairs(sql, some));
  }

  async #inTurns<K>(keys: readonly K[], load: (some: readonly K[]) => Promise<Row[]>): Promise<Row[]> {
    const rows: Row[] = [];
    for (let at = 0; at < keys.length; at += KEYS_AT_ONCE) {
      await this.#turn();
      for (const row of await load(keys.slice(at, at + KEYS_AT_ONCE))) rows.push(row);
    }
    return rows;
  }

  run(sql: string, ...parameters: Value[]): Promise<void> {
    return this.#engine.run(sql, ...parameters);
  }

  insert(table: string, columns: readonly string[], rows: Iterable<Row>): Promise<void> {
    return this.#engine.insert(table, columns, rows);
  }

  upsert(table: string, columns: readonly string[], rows: Iterable<Row>, keys?: number): Promise<void> {
    return this.#engine.upsert(table, columns, rows, keys);
  }

  remove(table: string, columns: readonly string[], keys: Iterable<Row>): Promise<void> {
    return this.#engine.remove(table, columns, keys);
  }

  transaction<T>(work: () => Promise<T>): Promise<T> {
    return this.#engine.transaction(work);
  }

  snapshot<T>(work: () => Promise<T>): Promise<T> {
    return this.#engine.snapshot(work);
  }

  version(): Promise<number> {
    return this.#engine.version();
  }

  recall<K, V>(name: string): Recent<K, V> {
    return this.#engine.recall(name);
  }

  backup(path: string): Promise<void> {
    return this.#engine.backup(path);
  }

  tables(): Promise<string[]> {
    return this.#engine.tables();
  }

  size(): Promise<number> {
    return this.#engine.size();
  }

  close(): Promise<void> {
    return this.#engine.close();
  }
}

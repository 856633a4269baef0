import type { Recent } from "../../chain/recent.ts";
import type { Engine, Row, Value } from "./engine.ts";

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

  async load(sql: string, keys: readonly Value[]): Promise<Row[]> {
    await this.#turn();
    return this.#engine.load(sql, keys);
  }

  async loadPairs(sql: string, pairs: readonly (readonly [Value, Value])[]): Promise<Row[]> {
    await this.#turn();
    return this.#engine.loadPairs(sql, pairs);
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

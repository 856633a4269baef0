import type { Recent } from "../../std/recent.ts";

export type Value = number | string | Uint8Array | null;

/** One row, in the order its statement names the columns. */
export type Row = Value[];

/**
 * What a database must do for the store. Statements are written once for all engines: parameters are `?`, a set of
 * keys is `IN ($keys)`, bytes sort as unsigned. A new engine implements this, and the store's tests run on it.
 */
export interface Engine {
  /** The words that differ between dialects, for migrations. */
  readonly dialect: Dialect;
  all(sql: string, ...parameters: Value[]): Promise<Row[]>;
  /**
   * Runs a statement with one `IN ($keys)` for any number of keys; the order of rows is not defined. Of many rows
   * short bytes are dearer to read than their `hex(...)`: each has memory of its own.
   */
  load(sql: string, keys: readonly Value[]): Promise<Row[]>;
  /** As `load`, with `$pairs` for the rows `(column1, column2)` of a table to join with. */
  loadPairs(sql: string, pairs: readonly (readonly [Value, Value])[]): Promise<Row[]>;
  run(sql: string, ...parameters: Value[]): Promise<void>;
  insert(table: string, columns: readonly string[], rows: Iterable<Row>): Promise<void>;
  /** Inserts rows, or replaces all columns of those whose first columns, the `keys`, are there already. */
  upsert(table: string, columns: readonly string[], rows: Iterable<Row>, keys?: number): Promise<void>;
  /** Deletes the rows whose columns equal one of `keys`. */
  remove(table: string, columns: readonly string[], keys: Iterable<Row>): Promise<void>;
  /** Runs `work` in one write transaction: all of it is stored, or nothing. */
  transaction<T>(work: () => Promise<T>): Promise<T>;
  /** Runs `work` against one unchanging state of the database. It must not wait for anything but this engine. */
  snapshot<T>(work: () => Promise<T>): Promise<T>;
  /** The state of the database as a number: with every change, by whoever, it becomes a greater one. */
  version(): Promise<number>;
  /** What reads remember of the state that the snapshot is of, by their own names. Without a snapshot it is empty. */
  recall<K, V>(name: string): Recent<K, V>;
  /** Copies the database to a file. Inside a snapshot the copy is of that state, whoever writes meanwhile. */
  backup(path: string): Promise<void>;
  tables(): Promise<string[]>;
  size(): Promise<number>;
  close(): Promise<void>;
}

export interface Dialect {
  readonly integer: string;
  readonly bytes: string;
  /** Ends a CREATE TABLE whose rows should lie in the order of its primary key. */
  readonly clustered: string;
}

import type { Recent } from "../../std/recent.ts";

export type Value = number | string | Uint8Array | null;

/** One row, in the order its statement names the columns. */
export type Row = Value[];

/**
 * Statements that read. They are written once for all engines: parameters are `?`, a set of keys is `IN ($keys)`, bytes
 * sort as unsigned.
 */
export interface Connection {
  /** The words that differ between dialects. */
  readonly dialect: Dialect;
  all(sql: string, ...parameters: Value[]): Promise<Row[]>;
  /**
   * Runs a statement with one `IN ($keys)` for any number of keys; the order of rows is not defined. Of many rows
   * short bytes are dearer to read than their `hex(...)`: each has memory of its own.
   */
  load(sql: string, keys: readonly Value[]): Promise<Row[]>;
  /** As `load`, with `$pairs` for the rows `(column1, column2)` of a table to join with. */
  loadPairs(sql: string, pairs: readonly (readonly [Value, Value])[]): Promise<Row[]>;
  /** What reads of the same state of the database remember, by their own names. Outside a snapshot it is empty. */
  recall<K, V>(name: string): Recent<K, V>;
}

/** Reads of one unchanging state of the database. It ends with the work that it was made for. */
export interface Snapshot extends Connection {
  /** The state as a number, as `Engine.version` tells it. */
  readonly version: number;
  /** Copies this state to a file, whoever writes meanwhile. */
  backup(path: string): Promise<void>;
}

/**
 * What a database must do for the store. A new engine implements this, and the store's tests run on it. Statements of
 * the engine itself are part of its open transaction; without one each sees the newest state.
 */
export interface Engine extends Connection {
  run(sql: string, ...parameters: Value[]): Promise<void>;
  insert(table: string, columns: readonly string[], rows: Iterable<Row>): Promise<void>;
  /** Inserts rows, or replaces all columns of those whose first columns, the `keys`, are there already. */
  upsert(table: string, columns: readonly string[], rows: Iterable<Row>, keys?: number): Promise<void>;
  /** Deletes the rows whose columns equal one of `keys`. */
  remove(table: string, columns: readonly string[], keys: Iterable<Row>): Promise<void>;
  /** Runs `work` in one write transaction: all of it is stored, or nothing. */
  transaction<T>(work: () => Promise<T>): Promise<T>;
  /** Runs `work` with a snapshot, which it must not use afterwards. It must not wait for anything but the snapshot. */
  snapshot<T>(work: (snapshot: Snapshot) => Promise<T>): Promise<T>;
  /** The state of the database as a number: with every change, by whoever, it becomes a greater one. */
  version(): Promise<number>;
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

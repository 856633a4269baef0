import type { LruCache } from "../../std/maps.ts";

export type Value = number | string | Uint8Array | null;

/** One row, in the order its statement names the columns. */
export type Row = Value[];

/**
 * Statements that read. They are written once for all engines: parameters are `?`, a set of keys is `IN ($keys)`, bytes
 * sort as unsigned.
 */
export interface Reader {
  /** The words that differ between dialects. */
  readonly dialect: Dialect;
  /** `R` says what the columns are that the statement names. */
  all<R extends Row = Row>(sql: string, ...parameters: Value[]): Promise<R[]>;
  /** Runs a statement with one `IN ($keys)` for any number of keys; the order of rows is not defined. */
  load<R extends Row = Row>(sql: string, keys: readonly Value[]): Promise<R[]>;
  /** As `load`, with one `($pairs)`: a query of the rows `(column1, column2)`, which have the types of what is given. */
  loadPairs<R extends Row = Row>(sql: string, pairs: readonly (readonly [Value, Value])[]): Promise<R[]>;
  /** A cache that reads of the same state of the database share, by name. Outside a snapshot it is empty. */
  snapshotCache<K, V>(name: string): LruCache<K, V>;
}

/** Reads of one unchanging state of the database. It ends with the work that it was made for. */
export interface Snapshot extends Reader {
  readonly version: number;
}

/** The statements of one write transaction, which see what it has written. It ends with the work that it was made for. */
export interface Writer extends Reader {
  run(sql: string, ...parameters: Value[]): Promise<void>;
  insert(table: string, columns: readonly string[], rows: Iterable<Row>): Promise<void>;
  /** Inserts rows, or replaces all columns of those whose first columns, the `keys`, are there already. */
  upsert(table: string, columns: readonly string[], rows: Iterable<Row>, keys?: number): Promise<void>;
  /** Deletes the rows whose columns equal one of `keys`. */
  remove(table: string, columns: readonly string[], keys: Iterable<Row>): Promise<void>;
  tables(): Promise<string[]>;
}

/** A database for reading. Its own reads see the newest committed state, each for itself. */
export interface ReadDatabase extends Reader {
  /** Runs `work` with a snapshot, which it must not use afterwards. It must not wait for anything but the snapshot. */
  snapshot<T>(work: (snapshot: Snapshot) => Promise<T>): Promise<T>;
  /**
   * Monotonic version of the database: the newest that its writer has announced or a snapshot has seen. Reading it runs no
   * statement.
   */
  readonly version: number;
  /** Reads the version that is committed, for databases whose writers are other processes. */
  readVersion(): Promise<number>;
  tables(): Promise<string[]>;
  /** Undefined where the engine's own tools maintain it. */
  readonly maintenance: Maintenance | undefined;
  close(): Promise<void>;
}

/** What a database must do for the store. A new engine implements this, and the store's tests run on it. */
export interface Database extends ReadDatabase {
  /**
   * Runs `work` in one write transaction: all of it is stored, or nothing. It must not wait for anything but the writer,
   * and fails where the fence is lost.
   */
  transaction<T>(fence: Fence, work: (writer: Writer) => Promise<T>): Promise<T>;
}

export interface Maintenance {
  /** Copies a snapshot to a file, whoever writes meanwhile; answers what `read` reads of the same snapshot. */
  backup<T>(path: string, read: (snapshot: Snapshot) => Promise<T>): Promise<T>;
  /** Bytes on disk. */
  size(): Promise<number>;
  /** Gives a little of the space of deleted rows back to the system; answers whether there is more of it. */
  shrink(): Promise<boolean>;
}

/** Runs work in a write transaction of a database, under its fence. */
export type Transact = <T>(work: (writer: Writer) => Promise<T>) => Promise<T>;

/** The right to write. It is checked inside each transaction, so that a writer that was replaced cannot commit. */
export interface Fence {
  /** Throws `store_locked` where another writer has the right. */
  check(writer: Writer): Promise<void>;
}

/** For databases that any process may write. */
export const NO_FENCE: Fence = { check: async () => {} };

/** What engines say in words of their own. */
export interface Dialect {
  readonly integer: string;
  readonly bytes: string;
  /** Ends a CREATE TABLE whose rows should lie in the order of its primary key. */
  readonly clustered: string;
  /** Bytes as hexadecimal digits. Of many rows they are cheaper to read than short bytes, each of which has memory of its own. */
  readonly digits: (expression: string) => string;
  /** All rows of a query as one, with an integer and bytes of each: `PackedColumns`. Of many rows it is cheaper to read than bytes of each. */
  readonly pack: (integer: string, bytes: string) => string;
  /** The numbers of a parameter that is a JSON list, as a table whose column is `value`. */
  readonly list: string;
  /**
   * A statement for the values of a table by their ids, which are one parameter as a JSON list: in its order, joined to one. Values
   * of another size than that of the other parameter are left out.
   */
  readonly joinValues: (table: string) => string;
  /** Joins two tables, the left one first where an engine lets that be said. Conditions stand in WHERE. */
  readonly joinInOrder: string;
}

/** A statement in the words of a dialect, made once. */
export function inDialect(write: (dialect: Dialect) => string): (db: Reader) => string {
  let made: { readonly dialect: Dialect; readonly sql: string } | undefined;
  return ({ dialect }) => {
    if (made?.dialect !== dialect) made = { dialect, sql: write(dialect) };
    return made.sql;
  };
}

/** The one number that a statement answers: a count, or the greatest of some; 0 where there is none. */
export async function readNumber(db: Reader, sql: string, ...parameters: Value[]): Promise<number> {
  const [row] = await db.all<[number | null]>(sql, ...parameters);
  return row?.[0] ?? 0;
}

/** The databases of one network: the index, what is known of contracts, and blobs. */
export type DatabaseName = "index" | "contracts" | "blobs";

export interface OpenOptions {
  readonly readOnly?: boolean;
  readonly cacheMegabytes?: number;
  /** Any process may write it, and make it. */
  readonly isShared?: boolean;
  /** Whether it can become smaller, which takes some time of every write. It holds from when the database is made. */
  readonly isShrinkable?: boolean;
}

/** Where a network keeps its databases. */
export interface Databases {
  /** Keeps every other process from writing the index until it is released. */
  lock(): Promise<WriteLock>;
  has(name: DatabaseName): Promise<boolean>;
  /** Opens a database, and makes it unless it is to be read only. */
  open(name: DatabaseName, options?: OpenOptions): Promise<Database>;
  remove(name: DatabaseName): Promise<void>;
  /** Where a database is, in words. */
  locate(name: DatabaseName): string;
}

export interface WriteLock extends Fence {
  release(): Promise<void>;
}

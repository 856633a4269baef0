import type { LruCache } from "../../std/maps.ts";

export type Value = number | string | Uint8Array | null;

export type Row = Value[];

/**
 * SQL is written once for all engines: parameters are `?`, a set of keys is `IN ($keys)`, bytes compare as unsigned.
 */
export interface Reader {
  readonly dialect: Dialect;
  all<R extends Row = Row>(sql: string, ...parameters: Value[]): Promise<R[]>;
  /** Runs a statement with one `IN ($keys)` for any number of keys. Row order is undefined. */
  load<R extends Row = Row>(sql: string, keys: readonly Value[]): Promise<R[]>;
  /** Like `load`, with one `($pairs)`: a subquery of rows `(column1, column2)`. */
  loadPairs<R extends Row = Row>(sql: string, pairs: readonly (readonly [Value, Value])[]): Promise<R[]>;
  /** A named cache shared by all reads of the same state. Empty outside a snapshot. */
  snapshotCache<K, V>(name: string): LruCache<K, V>;
}

/** Reads of one immutable state. Invalid after the work it was created for. */
export interface Snapshot extends Reader {
  readonly version: number;
}

/** A write transaction; reads see its own writes. Invalid after the work it was created for. */
export interface Writer extends Reader {
  run(sql: string, ...parameters: Value[]): Promise<void>;
  insert(table: string, columns: readonly string[], rows: Iterable<Row>): Promise<void>;
  /** Changes stored rows with equal `keys` leading columns, which is cheaper than an upsert. All must exist. */
  update(table: string, columns: readonly string[], rows: Iterable<Row>, keys?: number): Promise<void>;
  /** Replaces rows with equal `keys` leading columns. */
  upsert(table: string, columns: readonly string[], rows: Iterable<Row>, keys?: number): Promise<void>;
  /** Deletes rows whose columns equal one of `keys`. */
  remove(table: string, columns: readonly string[], keys: Iterable<Row>): Promise<void>;
  tables(): Promise<string[]>;
}

/** Reads outside a snapshot see the newest committed state, each for itself. */
export interface ReadDatabase extends Reader {
  /**
   * Many reads at less cost than each for itself; they see one or several committed states. `work` must not keep the
   * reader nor wait for anything else.
   */
  batch<T>(work: (reader: Reader) => Promise<T>): Promise<T>;
  /** `work` must not keep the snapshot nor wait for anything else. */
  snapshot<T>(work: (snapshot: Snapshot) => Promise<T>): Promise<T>;
  /**
   * Monotonic version of the database: the newest announced by its writer or seen by a snapshot. Reading it runs no
   * statement.
   */
  readonly version: number;
  /** Reads the committed version, for databases written by other processes. */
  readVersion(): Promise<number>;
  tables(): Promise<string[]>;
  /** The process that writes it; undefined if the engine does not tell other processes. */
  writer(): Promise<WriterInfo | undefined>;
  /** Undefined if the engine is maintained by its own tools. */
  readonly maintenance: Maintenance | undefined;
  close(): Promise<void>;
}

/** The interface of an engine. The store's tests run on every engine. */
export interface Database extends ReadDatabase {
  /** Atomic. `work` must not wait for anything but the writer. Fails if the fence is lost. */
  transaction<T>(fence: Fence, work: (writer: Writer) => Promise<T>): Promise<T>;
}

export interface Maintenance {
  /** Copies a snapshot to a file during writes. Returns what `read` returns on the same snapshot. */
  backup<T>(path: string, read: (snapshot: Snapshot) => Promise<T>): Promise<T>;
  size(): Promise<number>;
  /** Returns some free space to the system. Returns whether there is more. */
  shrink(): Promise<boolean>;
}

/** A write transaction under the database's fence. */
export type Transact = <T>(work: (writer: Writer) => Promise<T>) => Promise<T>;

/** The right to write, checked inside each transaction, so that a replaced writer cannot commit. */
export interface Fence {
  /** Throws `store_locked` if another writer took over. */
  check(writer: Writer): Promise<void>;
}

export const NO_FENCE: Fence = { check: async () => {} };

export interface Dialect {
  readonly integer: string;
  readonly bytes: string;
  readonly text: string;
  /** Suffix of CREATE TABLE that stores rows in primary key order. */
  readonly clustered: string;
  /** Suffix of CREATE TABLE, after `clustered`, for rows that are changed in place: pages keep room for their new versions. */
  readonly updated: string;
  /** Factor by which commits of backfill are larger than usual, for engines where updates are expensive. */
  readonly batchFactor: number;
  /** Bytes as hex digits: cheaper to read from many rows than short blobs, which are allocated one by one. */
  readonly digits: (expression: string) => string;
  /** Place of some bytes inside others, from 1 on; 0 if they are not there. */
  readonly indexOf: (bytes: string, part: string) => string;
  /** A byte below 128 as an integer; places count from 1. */
  readonly byteAt: (bytes: string, place: number) => string;
  /**
   * Aggregates an integer and bytes of all rows into one value (`PackedColumns`), which is cheaper to read than many
   * rows.
   */
  readonly pack: (integer: string, bytes: string) => string;
  /** Aggregates an integer of all rows, in the order of `pack`: comma-separated. */
  readonly packIntegers: (integer: string) => string;
  /** A JSON array parameter as a table with column `value`. */
  readonly list: string;
  /**
   * Concatenates values by id in the order of a JSON array parameter. Skips values whose size differs from the other
   * parameter.
   */
  readonly joinValues: (table: string) => string;
  /**
   * One aggregate for each of `($pairs) w`, of the rows of a table under a condition on `w`: rows
   * `(column1, column2, value)`. A pair without such rows has null, or is missing.
   */
  readonly ofEachPair: (aggregate: string, table: string, condition: string) => string;
  /** Join that scans the left table first, if the engine allows to say so. Conditions are in WHERE. */
  readonly joinInOrder: string;
  /** Statement with the name of a table as parameter: its columns in order, and their place in the primary key or 0. */
  readonly columns: string;
}

export function inDialect(write: (dialect: Dialect) => string): (db: Reader) => string {
  let made: { readonly dialect: Dialect; readonly sql: string } | undefined;
  return ({ dialect }) => {
    if (made?.dialect !== dialect) made = { dialect, sql: write(dialect) };
    return made.sql;
  };
}

export async function readNumber(db: Reader, sql: string, ...parameters: Value[]): Promise<number> {
  const [row] = await db.all<[number | null]>(sql, ...parameters);
  return row?.[0] ?? 0;
}

export type DatabaseName = "index" | "contracts" | "blobs";

export interface OpenOptions {
  readonly readOnly?: boolean;
  /** URL of the server of which this one is a replica. */
  readonly primary?: string | undefined;
  readonly cacheMegabytes?: number;
  /** Writable and creatable by any process. */
  readonly isShared?: boolean;
  /** Allows shrinking, at some cost per write. Fixed when the database is created. */
  readonly isShrinkable?: boolean;
}

/** Placement of the tables of a distributed index. */
export interface Placement {
  readonly nodes: number;
  readonly shards: number;
  readonly distributed: readonly { readonly table: string; readonly column: string }[];
  /** On the coordinator. */
  readonly kept: readonly string[];
  /** Settings of the role in this database, as `name=value`. */
  readonly roleSettings: readonly string[];
}

/** Servers that hold one index together. */
export interface Cluster {
  /** Refuses a server that is none, or has no workers. */
  expectWorkers(): Promise<void>;
  /** Undefined if the index is on one server. */
  placement(): Promise<Placement | undefined>;
  /** The caller holds the lock. */
  distribute(fence: Fence, onTable: (table: string) => void): Promise<void>;
}

export interface Databases {
  /** Undefined if the engine has none. */
  readonly cluster: Cluster | undefined;
  /** Exclusive write access to the index until released. */
  lock(options?: LockOptions): Promise<WriteLock>;
  /** Fence of a lock that another thread of this process holds. */
  fenceOf(token: LockToken | undefined): Fence;
  has(name: DatabaseName): Promise<boolean>;
  /** Creates the database unless it is opened read-only. */
  open(name: DatabaseName, options?: OpenOptions): Promise<Database>;
  remove(name: DatabaseName): Promise<void>;
  locate(name: DatabaseName): string;
}

export interface LockOptions {
  /** Shown to people as the writer. */
  readonly name?: string;
  /** Waits while another process holds the lock, if the engine allows it; otherwise the lock is refused. */
  readonly standby?: Standby;
}

export interface Standby {
  readonly signal: AbortSignal;
  /** Another process holds the lock. Called once for each holder. */
  readonly onWait: (holder: string) => void;
}

export interface LockToken {
  readonly epoch: number;
  readonly holder: string;
}

export interface WriteLock extends Fence {
  /** Identifies the right to write to other threads; undefined if it belongs to the process. */
  readonly token: LockToken | undefined;
  /** Resolves when another process took over; pending while the lock is held, and after its release. */
  readonly lost: Promise<void>;
  release(): Promise<void>;
}

export interface WriterInfo {
  readonly name: string;
  /** Whether it still holds the lock. */
  readonly isActive: boolean;
  /** Seconds since its last sign of life. */
  readonly age: number;
}

export const NEVER_LOST: Promise<void> = new Promise(() => {});

/** Releases a fence if it is a lock. */
export async function releaseLock(fence: Fence): Promise<void> {
  if ("release" in fence) await (fence as WriteLock).release();
}

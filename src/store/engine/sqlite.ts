import { statSync } from "node:fs";
import { ChainError } from "../../chain/error.ts";
import { Mutex } from "../../std/async.ts";
import { LruCache } from "../../std/maps.ts";
import { Checkpointer } from "./checkpointer.ts";
import type { Database, Fence, Maintenance, Reader, Row, Snapshot, Value, Writer } from "./database.ts";
import type { SqliteOptions } from "./sqliteConnection.ts";
import { DIALECT, SqliteConnection } from "./sqliteConnection.ts";
import { guard } from "./sqliteError.ts";
import { copyDatabase } from "./sqliteFile.ts";
import { VersionChannel } from "./versionChannel.ts";

const MAX_CACHED = 10_000;
const SHRUNK_PAGES = 256;

interface StateCache {
  readonly version: number;
  readonly caches: Map<string, LruCache<unknown, unknown>>;
}

/** A SQLite file over one connection. Transactions and snapshots are serialized. */
export class SqliteDatabase implements Database {
  readonly dialect = DIALECT;
  readonly maintenance: Maintenance;
  readonly #connection: SqliteConnection;
  readonly #mutex = new Mutex();
  readonly #versions: VersionChannel;
  readonly #checkpointer: Checkpointer | undefined;
  #state: StateCache = { version: -1, caches: new Map() };

  constructor(options: SqliteOptions) {
    this.#connection = new SqliteConnection(options);
    this.#versions = new VersionChannel(options.path, () => this.#connection.version());
    if (options.hasCheckpointer) this.#checkpointer = new Checkpointer(options.path);
    this.maintenance = {
      backup: (path, read) => this.#backup(path, read),
      size: () => this.#mutex.run(async () => sizeOf(this.#connection, options.path)),
      shrink: () => this.#mutex.run(async () => shrink(this.#connection)),
    };
  }

  all<R extends Row = Row>(sql: string, ...parameters: Value[]): Promise<R[]> {
    return this.#mutex.run(async () => this.#connection.all<R>(sql, ...parameters));
  }

  load<R extends Row = Row>(sql: string, keys: readonly Value[]): Promise<R[]> {
    return this.#mutex.run(async () => this.#connection.load<R>(sql, keys));
  }

  loadPairs<R extends Row = Row>(sql: string, pairs: readonly (readonly [Value, Value])[]): Promise<R[]> {
    return this.#mutex.run(async () => this.#connection.loadPairs<R>(sql, pairs));
  }

  snapshotCache<K, V>(): LruCache<K, V> {
    return emptyCache();
  }

  batch<T>(work: (reader: Reader) => Promise<T>): Promise<T> {
    return work(this);
  }

  get version(): number {
    return this.#versions.newest;
  }

  readVersion(): Promise<number> {
    return this.#mutex.run(async () => this.#versions.observe(this.#connection.version()));
  }

  async writer(): Promise<undefined> {
    return undefined;
  }

  tables(): Promise<string[]> {
    return this.#mutex.run(async () => this.#connection.tables());
  }

  async transaction<T>(fence: Fence, work: (writer: Writer) => Promise<T>): Promise<T> {
    await this.#checkpointer?.untilRoom();
    return this.#bracket("BEGIN IMMEDIATE", async () => {
      const writer = new SqliteWriter(this.#connection);
      try {
        await fence.check(writer);
        return await work(writer);
      } finally {
        writer.end();
      }
    });
  }

  snapshot<T>(work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    return this.#bracket("BEGIN", async () => {
      const snapshot = new SqliteSnapshot(this.#connection, this.#currentState());
      try {
        return await work(snapshot);
      } finally {
        snapshot.end();
      }
    });
  }

  #currentState(): StateCache {
    const version = this.#versions.observe(this.#connection.version());
    if (version !== this.#state.version) this.#state = { version, caches: new Map() };
    return this.#state;
  }

  #backup<T>(path: string, read: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    return this.snapshot(async (snapshot) => {
      const found = await read(snapshot);
      await copyDatabase(this.#connection.handle, path);
      return found;
    });
  }

  async close(): Promise<void> {
    await this.#mutex.idle();
    await this.#checkpointer?.close();
    this.#versions.close();
    this.#connection.close();
  }

  #announce(version: number): void {
    this.#versions.announce(version);
    try {
      this.#checkpointer?.note(this.#connection.logState());
    } catch {
      // The commit stands, and the next one looks at the log again.
    }
  }

  #bracket<T>(mode: "BEGIN" | "BEGIN IMMEDIATE", work: () => Promise<T>): Promise<T> {
    return this.#mutex.run(async () => {
      this.#connection.begin(mode);
      try {
        const result = await work();
        const version = this.#connection.incrementVersion();
        this.#connection.commit();
        if (version !== undefined) this.#announce(version);
        return result;
      } catch (error) {
        this.#connection.rollback();
        throw error;
      }
    });
  }
}

class SqliteReader implements Reader {
  readonly dialect = DIALECT;
  readonly #connection: SqliteConnection;
  #isOver = false;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  end(): void {
    this.#isOver = true;
  }

  async all<R extends Row = Row>(sql: string, ...parameters: Value[]): Promise<R[]> {
    return this.connection.all<R>(sql, ...parameters);
  }

  async load<R extends Row = Row>(sql: string, keys: readonly Value[]): Promise<R[]> {
    return this.connection.load<R>(sql, keys);
  }

  async loadPairs<R extends Row = Row>(sql: string, pairs: readonly (readonly [Value, Value])[]): Promise<R[]> {
    return this.connection.loadPairs<R>(sql, pairs);
  }

  snapshotCache<K, V>(_name: string): LruCache<K, V> {
    return emptyCache();
  }

  protected get connection(): SqliteConnection {
    if (this.#isOver) throw new ChainError("internal", "a transaction was used after its end");
    return this.#connection;
  }
}

class SqliteSnapshot extends SqliteReader implements Snapshot {
  readonly version: number;
  readonly #caches: StateCache["caches"];

  constructor(connection: SqliteConnection, { version, caches }: StateCache) {
    super(connection);
    this.version = version;
    this.#caches = caches;
  }

  override snapshotCache<K, V>(name: string): LruCache<K, V> {
    const known = this.#caches.get(name) as LruCache<K, V> | undefined;
    if (known !== undefined) return known;
    const empty = emptyCache<K, V>();
    this.#caches.set(name, empty as LruCache<unknown, unknown>);
    return empty;
  }
}

class SqliteWriter extends SqliteReader implements Writer {
  async run(sql: string, ...parameters: Value[]): Promise<void> {
    this.connection.run(sql, ...parameters);
  }

  async insert(table: string, columns: readonly string[], rows: Iterable<Row>): Promise<void> {
    this.connection.insert(table, columns, rows);
  }

  /** An upsert of many rows at once is cheaper than changing each. */
  async update(table: string, columns: readonly string[], rows: Iterable<Row>, keys?: number): Promise<void> {
    this.connection.upsert(table, columns, rows, keys);
  }

  async upsert(table: string, columns: readonly string[], rows: Iterable<Row>, keys?: number): Promise<void> {
    this.connection.upsert(table, columns, rows, keys);
  }

  async remove(table: string, columns: readonly string[], keys: Iterable<Row>): Promise<void> {
    this.connection.remove(table, columns, keys);
  }

  async tables(): Promise<string[]> {
    return this.connection.tables();
  }
}

const emptyCache = <K, V>(): LruCache<K, V> => new LruCache(MAX_CACHED);

function sizeOf(connection: SqliteConnection, path: string): number {
  if (path !== ":memory:") {
    const log = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
    return statSync(path).size + log;
  }
  const [[pages] = [0]] = connection.all<[number]>("PRAGMA page_count");
  const [[pageSize] = [0]] = connection.all<[number]>("PRAGMA page_size");
  return pages * pageSize;
}

function shrink(connection: SqliteConnection): boolean {
  const freePages = () => connection.all<[number]>("PRAGMA freelist_count")[0]?.[0] ?? 0;
  const before = freePages();
  if (before === 0) return false;
  guard(() => connection.handle.exec(`PRAGMA incremental_vacuum(${SHRUNK_PAGES})`));
  const after = freePages();
  // A checkpoint truncates the file. Databases created without auto_vacuum are unaffected.
  if (after === 0) guard(() => connection.handle.exec("PRAGMA wal_checkpoint(PASSIVE)"));
  return after > 0 && after < before;
}

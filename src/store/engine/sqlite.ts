import { statSync } from "node:fs";
import type { StatementSync } from "node:sqlite";
import { DatabaseSync } from "node:sqlite";
import { ChainError } from "../../chain/error.ts";
import { LruCache } from "../../std/lruCache.ts";
import { Mutex } from "../../std/mutex.ts";
import type { Database, Dialect, Row, Snapshot, Value } from "./database.ts";
import { readNumber } from "./database.ts";
import { guard } from "./sqliteError.ts";
import { copyDatabase } from "./sqliteFile.ts";

export interface SqliteOptions {
  /** A file, or `:memory:`. */
  readonly path: string;
  readonly readOnly?: boolean;
  readonly cacheMegabytes?: number;
  /** Whether a database that is made keeps what it takes to become smaller. */
  readonly isShrinkable?: boolean;
}

const DIALECT: Dialect = {
  integer: "INTEGER",
  bytes: "BLOB",
  clustered: "WITHOUT ROWID",
  digits: (expression) => `hex(${expression})`,
  // Bytes are joined as texts are, which looks at none of them. What is no bytes has a size that none has.
  pack: (integer, bytes) =>
    `group_concat(${integer}), group_concat(iif(typeof(${bytes}) = 'blob', length(${bytes}), -1)), CAST(group_concat(${bytes}, '') AS BLOB)`,
  list: "json_each(?)",
  // A CROSS JOIN goes through the left side first, and a list has an order: so does what is joined.
  joinValues: (table) =>
    `SELECT CAST(group_concat(t.value, '') AS BLOB) FROM json_each(?) i CROSS JOIN ${table} t ON t.id = i.value WHERE length(t.value) = ?`,
  joinInOrder: "CROSS JOIN",
};

const KEYS = "$keys";
const PAIRS = "$pairs";
/** Rows of one statement that inserts: of many, and of what is left of them. */
const MOST_ROWS = 64;
const SOME_ROWS = 8;
const MOST_CACHED = 10_000;
/** Pages that are given back at a time. */
const SHRUNK_PAGES = 256;
const CHUNKS = [1, 8, 64, 256] as const;

/** What reads have cached of one state of the database. */
interface StateCache {
  readonly version: number;
  readonly caches: Map<string, LruCache<unknown, unknown>>;
}

export class SqliteDatabase implements Database {
  readonly dialect = DIALECT;
  readonly #path: string;
  readonly #isReadOnly: boolean;
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  readonly #mutex = new Mutex();
  #state: StateCache = { version: -1, caches: new Map() };
  #changes = 0;

  constructor(options: SqliteOptions) {
    this.#path = options.path;
    this.#isReadOnly = options.readOnly ?? false;
    this.#database = guard(() => {
      const database = new DatabaseSync(options.path, { readOnly: this.#isReadOnly, timeout: 5000 });
      const cache = Math.round((options.cacheMegabytes ?? 24) * -1024);
      database.exec(`PRAGMA cache_size = ${cache}; PRAGMA temp_store = MEMORY; PRAGMA foreign_keys = OFF;`);
      if (!this.#isReadOnly) {
        // Before anything is written, or it has no effect.
        if (options.isShrinkable) database.exec("PRAGMA page_size = 8192; PRAGMA auto_vacuum = INCREMENTAL;");
        // NORMAL keeps every commit across a crash of the program; a power cut may lose the newest, never tear one.
        database.exec("PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;");
        database.exec("PRAGMA wal_autocheckpoint = 12000; PRAGMA journal_size_limit = 268435456;");
      }
      return database;
    });
  }

  async all<R extends Row = Row>(sql: string, ...parameters: Value[]): Promise<R[]> {
    return guard(() => rows<R>(this.#prepare(sql).all(...parameters)));
  }

  async load<R extends Row = Row>(sql: string, keys: readonly Value[]): Promise<R[]> {
    return this.#load<R>(sql, keys, (count) => sql.replace(KEYS, Array(count).fill("?").join()), 1);
  }

  async loadPairs<R extends Row = Row>(sql: string, pairs: readonly (readonly [Value, Value])[]): Promise<R[]> {
    const rows = (count: number) => `VALUES ${Array(count).fill("(?,?)").join()}`;
    return this.#load<R>(sql, pairs.flat(), (count) => sql.replace(PAIRS, rows(count)), 2);
  }

  /** A key is `width` parameters. */
  #load<R extends Row>(sql: string, keys: readonly Value[], sqlFor: (count: number) => string, width: number): R[] {
    return guard(() => {
      const found: R[] = [];
      for (let at = 0; at < keys.length; ) {
        const left = (keys.length - at) / width;
        const size = CHUNKS.find((chunk) => chunk >= left) ?? CHUNKS[CHUNKS.length - 1]!;
        const chunk = keys.slice(at, at + size * width);
        // A key given twice is found once: padding lets four prepared statements serve every number of keys.
        while (chunk.length < size * width) for (let i = 0; i < width; i++) chunk.push(chunk[i]!);
        const some = rows<R>(this.#prepareFor(sql, size, sqlFor).all(...chunk));
        if (chunk.length >= keys.length) return some;
        for (const row of some) found.push(row);
        at += size * width;
      }
      return found;
    });
  }

  async run(sql: string, ...parameters: Value[]): Promise<void> {
    this.#changes++;
    guard(() => this.#prepare(sql).run(...parameters));
  }

  async insert(table: string, columns: readonly string[], rows: Iterable<Row>): Promise<void> {
    this.#insert(table, columns, rows, "");
  }

  async upsert(table: string, columns: readonly string[], rows: Iterable<Row>, keys = 1): Promise<void> {
    const changes = columns.slice(keys).map((column) => `${column} = excluded.${column}`);
    const key = columns.slice(0, keys).join(",");
    this.#insert(table, columns, rows, ` ON CONFLICT (${key}) DO UPDATE SET ${changes.join(",")}`);
  }

  async remove(table: string, columns: readonly string[], keys: Iterable<Row>): Promise<void> {
    this.#changes++;
    guard(() => {
      const condition = columns.map((column) => `${column} = ?`).join(" AND ");
      const statement = this.#prepare(`DELETE FROM ${table} WHERE ${condition}`);
      for (const key of keys) statement.run(...key);
    });
  }

  transaction<T>(work: () => Promise<T>): Promise<T> {
    return this.#bracket("BEGIN IMMEDIATE", work);
  }

  snapshot<T>(work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    return this.#bracket("BEGIN", async () => {
      const state = guard(() => this.#currentState());
      const snapshot = new SqliteSnapshot(this, state, (path) => this.#backup(path));
      try {
        return await work(snapshot);
      } finally {
        snapshot.end();
      }
    });
  }

  snapshotCache<K, V>(): LruCache<K, V> {
    return new LruCache(MOST_CACHED);
  }

  async version(): Promise<number> {
    return guard(() => this.#version());
  }

  /** SQLite counts what other connections commit; what this one changes is counted here. */
  #version(): number {
    const [row] = rows<[number]>(this.#prepare("PRAGMA data_version").all());
    return (row?.[0] ?? 0) + this.#changes;
  }

  #currentState(): StateCache {
    const version = this.#version();
    if (version !== this.#state.version) this.#state = { version, caches: new Map() };
    return this.#state;
  }

  async #backup(path: string): Promise<void> {
    await copyDatabase(this.#database, path);
  }

  async tables(): Promise<string[]> {
    const rows = await this.all("SELECT name FROM sqlite_master WHERE type = 'table'");
    return rows.map(([name]) => String(name));
  }

  async size(): Promise<number> {
    if (this.#path !== ":memory:") {
      const log = statSync(`${this.#path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
      return statSync(this.#path).size + log;
    }
    return (await readNumber(this, "PRAGMA page_count")) * (await readNumber(this, "PRAGMA page_size"));
  }

  async shrink(): Promise<boolean> {
    const free = () => readNumber(this, "PRAGMA freelist_count");
    const before = await free();
    if (before === 0) return false;
    guard(() => this.#database.exec(`PRAGMA incremental_vacuum(${SHRUNK_PAGES})`));
    const after = await free();
    // The file itself is cut when the log is taken in. A database that was made without it stays as it is.
    if (after === 0) guard(() => this.#database.exec("PRAGMA wal_checkpoint(PASSIVE)"));
    return after > 0 && after < before;
  }

  async close(): Promise<void> {
    await this.#mutex.idle();
    this.#statements.clear();
    if (!this.#database.isOpen) return;
    if (!this.#isReadOnly) this.#takeInLog();
    this.#database.close();
  }

  /** A reader may close last, and it cannot; a log that stays behind is read at the next start. */
  #takeInLog(): void {
    try {
      this.#database.exec("PRAGMA busy_timeout = 200; PRAGMA wal_checkpoint(TRUNCATE);");
    } catch {
      // Nothing is lost: the log is taken in when it can be.
    }
  }

  /** One connection holds one transaction at a time, so whoever comes second waits for its turn. */
  #bracket<T>(begin: string, work: () => Promise<T>): Promise<T> {
    return this.#mutex.run(async () => {
      guard(() => this.#prepare(begin).run());
      try {
        const result = await work();
        guard(() => this.#prepare("COMMIT").run());
        return result;
      } catch (error) {
        if (this.#database.isOpen && this.#database.isTransaction) this.#database.exec("ROLLBACK");
        throw error;
      }
    });
  }

  /** Several rows in one statement halve the cost of crossing into SQLite. */
  #insert(table: string, columns: readonly string[], rows: Iterable<Row>, ending: string): void {
    this.#changes++;
    guard(() => {
      const width = columns.length;
      const head = `INSERT INTO ${table} (${columns.join(",")}) VALUES `;
      const marks = `(${columns.map(() => "?").join(",")})`;
      const sqlFor = (count: number) => head + Array(count).fill(marks).join(",") + ending;
      const prepare = (count: number) => this.#prepareFor(head + ending, count, sqlFor);
      let values: Value[] = [];
      let many: StatementSync | undefined;
      for (const row of rows) {
        for (let column = 0; column < width; column++) values.push(row[column]!);
        if (values.length < MOST_ROWS * width) continue;
        many ??= prepare(MOST_ROWS);
        many.run(...values);
        values = [];
      }
      for (let at = 0; at < values.length; ) {
        const size = at + SOME_ROWS * width <= values.length ? SOME_ROWS : 1;
        prepare(size).run(...values.slice(at, at + size * width));
        at += size * width;
      }
    });
  }

  /** A statement for so many keys. Its text is long, and made once. */
  #prepareFor(sql: string, count: number, sqlFor: (count: number) => string): StatementSync {
    const key = `${count} ${sql}`;
    const known = this.#statements.get(key);
    if (known !== undefined) return known;
    const statement = this.#prepare(sqlFor(count));
    this.#statements.set(key, statement);
    return statement;
  }

  #prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    // SQLite compiles a statement again for every value that is bound to a limit, unless it stands in an expression.
    const statement = this.#database.prepare(sql.replaceAll("LIMIT ?", "LIMIT +?"));
    statement.setReturnArrays(true);
    this.#statements.set(sql, statement);
    return statement;
  }
}

/** The open read transaction of the database's connection. */
class SqliteSnapshot implements Snapshot {
  readonly dialect = DIALECT;
  readonly version: number;
  readonly #database: SqliteDatabase;
  readonly #caches: StateCache["caches"];
  readonly #backup: (path: string) => Promise<void>;
  #isOver = false;

  constructor(database: SqliteDatabase, state: StateCache, backup: (path: string) => Promise<void>) {
    this.version = state.version;
    this.#database = database;
    this.#caches = state.caches;
    this.#backup = backup;
  }

  end(): void {
    this.#isOver = true;
  }

  async all<R extends Row = Row>(sql: string, ...parameters: Value[]): Promise<R[]> {
    return this.#open().all<R>(sql, ...parameters);
  }

  async load<R extends Row = Row>(sql: string, keys: readonly Value[]): Promise<R[]> {
    return this.#open().load<R>(sql, keys);
  }

  async loadPairs<R extends Row = Row>(sql: string, pairs: readonly (readonly [Value, Value])[]): Promise<R[]> {
    return this.#open().loadPairs<R>(sql, pairs);
  }

  snapshotCache<K, V>(name: string): LruCache<K, V> {
    const known = this.#caches.get(name) as LruCache<K, V> | undefined;
    if (known !== undefined) return known;
    const empty = this.#open().snapshotCache<K, V>();
    this.#caches.set(name, empty as LruCache<unknown, unknown>);
    return empty;
  }

  backup(path: string): Promise<void> {
    this.#open();
    return this.#backup(path);
  }

  #open(): SqliteDatabase {
    if (this.#isOver) throw new ChainError("internal", "a snapshot was read after its end");
    return this.#database;
  }
}

function rows<R extends Row>(found: unknown): R[] {
  return found as R[];
}

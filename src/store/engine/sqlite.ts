import { existsSync, renameSync, rmSync, statSync } from "node:fs";
import type { StatementSync } from "node:sqlite";
import { backup, DatabaseSync } from "node:sqlite";
import { ChainError } from "../../chain/error.ts";
import { Recent } from "../../std/recent.ts";
import type { Connection, Engine, Row, Snapshot, Value } from "./engine.ts";

export interface SqliteOptions {
  /** A file, or `:memory:`. */
  readonly path: string;
  readonly readOnly?: boolean;
  readonly cacheMegabytes?: number;
}

const KEYS = "$keys";
const PAIRS = "$pairs";
const ROWS = 16;
const MOST_RECALLED = 10_000;
const CHUNKS = [1, 8, 64, 512] as const;

/** What reads remember of one state of the database. */
interface Memory {
  readonly version: number;
  readonly recalled: Map<string, Recent<unknown, unknown>>;
}

export class SqliteEngine implements Engine {
  readonly dialect = { integer: "INTEGER", bytes: "BLOB", clustered: "WITHOUT ROWID" };
  readonly #path: string;
  readonly #isReadOnly: boolean;
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  #turn: Promise<unknown> = Promise.resolve();
  #memory: Memory = { version: -1, recalled: new Map() };
  #changes = 0;

  constructor(options: SqliteOptions) {
    this.#path = options.path;
    this.#isReadOnly = options.readOnly ?? false;
    this.#database = guard(() => {
      const database = new DatabaseSync(options.path, { readOnly: this.#isReadOnly, timeout: 5000 });
      const cache = Math.round((options.cacheMegabytes ?? 40) * -1024);
      database.exec(`PRAGMA cache_size = ${cache}; PRAGMA temp_store = MEMORY; PRAGMA foreign_keys = OFF;`);
      if (!this.#isReadOnly) {
        // NORMAL keeps every commit across a crash of the program; a power cut may lose the newest, never tear one.
        database.exec("PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;");
        database.exec("PRAGMA wal_autocheckpoint = 12000; PRAGMA journal_size_limit = 268435456;");
      }
      return database;
    });
  }

  async all(sql: string, ...parameters: Value[]): Promise<Row[]> {
    return guard(() => rows(this.#prepare(sql).all(...parameters)));
  }

  async load(sql: string, keys: readonly Value[]): Promise<Row[]> {
    return this.#load(sql, KEYS, "?", keys, 1);
  }

  async loadPairs(sql: string, pairs: readonly (readonly [Value, Value])[]): Promise<Row[]> {
    return this.#load(sql, PAIRS, "(?,?)", pairs.flat(), 2);
  }

  /** A key is `width` parameters. */
  #load(sql: string, place: string, mark: string, keys: readonly Value[], width: number): Row[] {
    return guard(() => {
      const found: Row[] = [];
      for (let at = 0; at < keys.length; ) {
        const left = (keys.length - at) / width;
        const size = CHUNKS.find((chunk) => chunk >= left) ?? CHUNKS[CHUNKS.length - 1]!;
        const chunk = keys.slice(at, at + size * width);
        // A key given twice is found once: padding lets four prepared statements serve every number of keys.
        while (chunk.length < size * width) chunk.push(...chunk.slice(0, width));
        const statement = this.#prepare(sql.replace(place, Array(size).fill(mark).join(",")));
        for (const row of rows(statement.all(...chunk))) found.push(row);
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
      const memory = guard(() => this.#remembered());
      const snapshot = new SqliteSnapshot(this, memory, (path) => this.#backup(path));
      try {
        return await work(snapshot);
      } finally {
        snapshot.end();
      }
    });
  }

  recall<K, V>(): Recent<K, V> {
    return new Recent(MOST_RECALLED);
  }

  async version(): Promise<number> {
    return guard(() => this.#version());
  }

  /** SQLite counts what other connections commit; what this one changes is counted here. */
  #version(): number {
    return (rows(this.#prepare("PRAGMA data_version").all())[0]![0] as number) + this.#changes;
  }

  #remembered(): Memory {
    const version = this.#version();
    if (version !== this.#memory.version) this.#memory = { version, recalled: new Map() };
    return this.#memory;
  }

  async #backup(path: string): Promise<void> {
    await backup(this.#database, path, { rate: 1000 }).catch((error: unknown) => {
      throw translate(error);
    });
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
    const [pages] = await this.all("PRAGMA page_count");
    const [page] = await this.all("PRAGMA page_size");
    return (pages![0] as number) * (page![0] as number);
  }

  async close(): Promise<void> {
    await this.#turn.catch(() => {});
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
    const turn = this.#turn.then(async () => {
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
    this.#turn = turn.catch(() => {});
    return turn;
  }

  /** Several rows in one statement halve the cost of crossing into SQLite; the rest go one by one. */
  #insert(table: string, columns: readonly string[], rows: Iterable<Row>, ending: string): void {
    this.#changes++;
    guard(() => {
      const width = columns.length;
      const head = `INSERT INTO ${table} (${columns.join(",")}) VALUES `;
      const marks = `(${columns.map(() => "?").join(",")})`;
      let values: Value[] = [];
      let many: StatementSync | undefined;
      for (const row of rows) {
        for (let column = 0; column < width; column++) values.push(row[column]!);
        if (values.length < ROWS * width) continue;
        many ??= this.#prepare(head + Array(ROWS).fill(marks).join(",") + ending);
        many.run(...values);
        values = [];
      }
      if (values.length === 0) return;
      const one = this.#prepare(head + marks + ending);
      for (let at = 0; at < values.length; at += width) one.run(...values.slice(at, at + width));
    });
  }

  #prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(sql);
    statement.setReturnArrays(true);
    this.#statements.set(sql, statement);
    return statement;
  }
}

/** The open read transaction of the engine's connection. */
class SqliteSnapshot implements Snapshot {
  readonly dialect: Connection["dialect"];
  readonly version: number;
  readonly #engine: SqliteEngine;
  readonly #recalled: Memory["recalled"];
  readonly #backup: (path: string) => Promise<void>;
  #isOver = false;

  constructor(engine: SqliteEngine, memory: Memory, backup: (path: string) => Promise<void>) {
    this.dialect = engine.dialect;
    this.version = memory.version;
    this.#engine = engine;
    this.#recalled = memory.recalled;
    this.#backup = backup;
  }

  end(): void {
    this.#isOver = true;
  }

  async all(sql: string, ...parameters: Value[]): Promise<Row[]> {
    return this.#open().all(sql, ...parameters);
  }

  async load(sql: string, keys: readonly Value[]): Promise<Row[]> {
    return this.#open().load(sql, keys);
  }

  async loadPairs(sql: string, pairs: readonly (readonly [Value, Value])[]): Promise<Row[]> {
    return this.#open().loadPairs(sql, pairs);
  }

  recall<K, V>(name: string): Recent<K, V> {
    const known = this.#recalled.get(name) as Recent<K, V> | undefined;
    if (known !== undefined) return known;
    const empty = this.#open().recall<K, V>();
    this.#recalled.set(name, empty as Recent<unknown, unknown>);
    return empty;
  }

  backup(path: string): Promise<void> {
    this.#open();
    return this.#backup(path);
  }

  #open(): SqliteEngine {
    if (this.#isOver) throw new ChainError("internal", "a snapshot was read after its end");
    return this.#engine;
  }
}

/** A file without a byte was cut or emptied: one that was only begun has no name yet. */
export function expectBytes(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.size !== 0) return;
  throw new ChainError("store_corrupt", `${path} has no bytes; put a copy back, or delete it to begin again`);
}

/** Makes a file unless it is there. It gets its name once it is a database. For one process at a time. */
export function makeDatabase(path: string): void {
  if (existsSync(path)) return;
  const fresh = `${path}.new`;
  // What a database left behind that was deleted would be taken for its own.
  for (const file of [`${path}-wal`, `${path}-shm`, fresh]) rmSync(file, { force: true });
  guard(() => {
    const database = new DatabaseSync(fresh);
    database.exec("PRAGMA page_size = 8192; PRAGMA user_version = 1;");
    database.close();
  });
  renameSync(fresh, path);
}

/** Holds an exclusive lock on a file of its own. The system lets go of it however the process ends. */
export class SqliteLock {
  readonly #database: DatabaseSync;

  constructor(path: string) {
    this.#database = guard(() => new DatabaseSync(path, { timeout: 0 }));
    try {
      this.#database.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE;");
    } catch (error) {
      this.#database.close();
      const locked = translate(error);
      if (locked.code !== "store_locked") throw locked;
      throw new ChainError(
        "store_locked",
        `another oriel is running on ${path.replace(/\/[^/]*$/, "")}; stop it first`,
      );
    }
  }

  release(): void {
    if (this.#database.isOpen) this.#database.close();
  }
}

function rows(found: unknown): Row[] {
  return found as Row[];
}

function guard<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw translate(error);
  }
}

function damaged(error: unknown): ChainError {
  const reason = `the database file is damaged or not a database: ${(error as Error).message}`;
  return new ChainError("store_corrupt", reason, { cause: error });
}

const SQLITE = { busy: 5, locked: 6, readOnly: 8, ioError: 10, corrupt: 11, full: 13, cantOpen: 14, notADatabase: 26 };

function translate(error: unknown): ChainError {
  if (error instanceof ChainError) return error;
  const { errcode, message, code } = error as { errcode?: number; message: string; code?: string };
  // Our statements name what the schema has, and our integers are safe ones.
  if (code === "ERR_OUT_OF_RANGE" || /^no such (table|column|index)|malformed/.test(message)) return damaged(error);
  switch (errcode === undefined ? undefined : errcode & 255) {
    case SQLITE.busy:
    case SQLITE.locked:
      return new ChainError("store_locked", "the database is in use by another process", { cause: error });
    case SQLITE.full:
    case SQLITE.ioError:
      return new ChainError("store_full", `the database cannot be written: ${message}`, { cause: error });
    case SQLITE.corrupt:
    case SQLITE.notADatabase:
      return damaged(error);
    case SQLITE.cantOpen:
    case SQLITE.readOnly:
      return new ChainError("invalid_argument", `the database cannot be opened: ${message}`, { cause: error });
    default:
      return new ChainError("internal", message, { cause: error });
  }
}

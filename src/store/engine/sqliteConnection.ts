import type { StatementSync } from "node:sqlite";
import { DatabaseSync } from "node:sqlite";
import type { LogState } from "./checkpointer.ts";
import type { Dialect, Row, Value } from "./database.ts";
import { guard } from "./sqliteError.ts";

export interface SqliteOptions {
  readonly path: string;
  readonly readOnly?: boolean;
  readonly cacheMegabytes?: number;
  /** Enables auto_vacuum on creation. */
  readonly isShrinkable?: boolean;
  /** Checkpoints in a thread of its own. */
  readonly hasCheckpointer?: boolean;
}

export const DIALECT: Dialect = {
  integer: "INTEGER",
  bytes: "BLOB",
  text: "TEXT",
  clustered: "WITHOUT ROWID",
  updated: "",
  batchFactor: 1,
  digits: (expression) => `hex(${expression})`,
  indexOf: (bytes, part) => `instr(${bytes}, ${part})`,
  // The code point of a zero byte is null.
  byteAt: (bytes, place) => `ifnull(unicode(CAST(substr(${bytes}, ${place}, 1) AS TEXT)), 0)`,
  // Concatenation as text does not inspect the bytes. Other types get an impossible size.
  pack: (integer, bytes) =>
    `group_concat(${integer}), group_concat(iif(typeof(${bytes}) = 'blob', length(${bytes}), -1)), CAST(group_concat(${bytes}, '') AS BLOB)`,
  packIntegers: (integer) => `group_concat(${integer})`,
  list: "json_each(?)",
  // CROSS JOIN scans the left side first, which preserves the order of the list.
  joinValues: (table) =>
    `SELECT CAST(group_concat(t.value, '') AS BLOB) FROM json_each(?) i CROSS JOIN ${table} t ON t.id = i.value WHERE length(t.value) = ?`,
  ofEachPair: (aggregate, table, condition) =>
    `SELECT w.column1, w.column2, (SELECT ${aggregate} FROM ${table} WHERE ${condition}) AS value FROM ($pairs) w`,
  joinInOrder: "CROSS JOIN",
  columns: "SELECT name, pk FROM pragma_table_info(?) ORDER BY cid",
};

/** Pages of the write-ahead log at which a commit makes a checkpoint itself; beside a thread only if that fails. */
const AUTOCHECKPOINT = { usual: 12_000, besideThread: 60_000 };

const KEYS = "$keys";
const PAIRS = "$pairs";
const MANY_ROWS = 64;
const SOME_ROWS = 8;
const CHUNKS = [1, 8, 64, 256] as const;

export class SqliteConnection {
  readonly handle: DatabaseSync;
  readonly isReadOnly: boolean;
  readonly #statements = new Map<string, StatementSync>();
  #hasChanged = false;

  constructor(options: SqliteOptions) {
    const { path, readOnly = false, cacheMegabytes = 24, isShrinkable = false, hasCheckpointer = false } = options;
    this.isReadOnly = readOnly;
    this.handle = guard(() => {
      const handle = new DatabaseSync(path, { readOnly, timeout: 5000 });
      const cache = Math.round(cacheMegabytes * -1024);
      handle.exec(`PRAGMA cache_size = ${cache}; PRAGMA temp_store = MEMORY; PRAGMA foreign_keys = OFF;`);
      if (readOnly) return handle;
      // No effect after the first write.
      if (isShrinkable) handle.exec("PRAGMA page_size = 8192; PRAGMA auto_vacuum = INCREMENTAL;");
      // NORMAL keeps every commit across a crash of the program; a power loss may drop the newest, never tear one.
      handle.exec("PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;");
      const pages = hasCheckpointer ? AUTOCHECKPOINT.besideThread : AUTOCHECKPOINT.usual;
      handle.exec(`PRAGMA wal_autocheckpoint = ${pages}; PRAGMA journal_size_limit = 268435456;`);
      return handle;
    });
  }

  all<R extends Row = Row>(sql: string, ...parameters: Value[]): R[] {
    return guard(() => rows<R>(this.#prepare(sql).all(...parameters)));
  }

  load<R extends Row = Row>(sql: string, keys: readonly Value[]): R[] {
    return this.#load<R>(sql, keys, (count) => sql.replace(KEYS, Array(count).fill("?").join()), 1);
  }

  loadPairs<R extends Row = Row>(sql: string, pairs: readonly (readonly [Value, Value])[]): R[] {
    const values = (count: number) => `VALUES ${Array(count).fill("(?,?)").join()}`;
    return this.#load<R>(sql, pairs.flat(), (count) => sql.replace(PAIRS, values(count)), 2);
  }

  #load<R extends Row>(sql: string, keys: readonly Value[], sqlFor: (count: number) => string, width: number): R[] {
    return guard(() => {
      const found: R[] = [];
      for (let at = 0; at < keys.length; ) {
        const left = (keys.length - at) / width;
        const size = CHUNKS.find((chunk) => chunk >= left) ?? CHUNKS[CHUNKS.length - 1]!;
        const chunk = keys.slice(at, at + size * width);
        // Padding with a duplicate key lets four prepared statements serve every number of keys.
        while (chunk.length < size * width) for (let i = 0; i < width; i++) chunk.push(chunk[i]!);
        const some = rows<R>(this.#prepareFor(sql, size, sqlFor).all(...chunk));
        if (chunk.length >= keys.length) return some;
        for (const row of some) found.push(row);
        at += size * width;
      }
      return found;
    });
  }

  run(sql: string, ...parameters: Value[]): void {
    this.#hasChanged = true;
    guard(() => this.#prepare(sql).run(...parameters));
  }

  upsert(table: string, columns: readonly string[], rows: Iterable<Row>, keys = 1): void {
    const changes = columns.slice(keys).map((column) => `${column} = excluded.${column}`);
    const key = columns.slice(0, keys).join(",");
    this.insert(table, columns, rows, ` ON CONFLICT (${key}) DO UPDATE SET ${changes.join(",")}`);
  }

  remove(table: string, columns: readonly string[], keys: Iterable<Row>): void {
    this.#hasChanged = true;
    guard(() => {
      const condition = columns.map((column) => `${column} = ?`).join(" AND ");
      const statement = this.#prepare(`DELETE FROM ${table} WHERE ${condition}`);
      for (const key of keys) statement.run(...key);
    });
  }

  /** Multi-row inserts halve the cost of calls into SQLite. */
  insert(table: string, columns: readonly string[], rows: Iterable<Row>, ending = ""): void {
    this.#hasChanged = true;
    guard(() => {
      const width = columns.length;
      const head = `INSERT INTO ${table} (${columns.join(",")}) VALUES `;
      const marks = `(${columns.map(() => "?").join(",")})`;
      const sqlFor = (count: number) => head + Array(count).fill(marks).join(",") + ending;
      const prepare = (count: number) => this.#prepareFor(head + ending, count, sqlFor);
      const values: Value[] = [];
      let count = 0;
      let many: StatementSync | undefined;
      for (const row of rows) {
        for (let column = 0; column < width; column++) values[count++] = row[column]!;
        if (count < MANY_ROWS * width) continue;
        many ??= prepare(MANY_ROWS);
        many.run(...values);
        count = 0;
      }
      for (let at = 0; at < count; ) {
        const size = at + SOME_ROWS * width <= count ? SOME_ROWS : 1;
        prepare(size).run(...values.slice(at, at + size * width));
        at += size * width;
      }
    });
  }

  begin(mode: "BEGIN" | "BEGIN IMMEDIATE"): void {
    this.#hasChanged = false;
    guard(() => this.#prepare(mode).run());
  }

  /** Increments the version if the open transaction has written. Returns the new one. */
  incrementVersion(): number | undefined {
    if (!this.#hasChanged) return undefined;
    const version = (this.version() + 1) | 0;
    guard(() => this.handle.exec(`PRAGMA user_version = ${version}`));
    return version;
  }

  commit(): void {
    guard(() => this.#prepare("COMMIT").run());
  }

  rollback(): void {
    if (this.handle.isOpen && this.handle.isTransaction) this.handle.exec("ROLLBACK");
  }

  /** Signed 32 bits in the file header, incremented by every writing transaction. Wraps around. */
  version(): number {
    const [row] = this.all<[number]>("PRAGMA user_version");
    return row?.[0] ?? 0;
  }

  tables(): string[] {
    return this.all<[string]>("SELECT name FROM sqlite_master WHERE type = 'table'").map(([name]) => name);
  }

  /** SQLite before 3.51 also copies what it can. */
  logState(): LogState {
    const [[, pages, copied] = [0, 0, 0]] = this.all<[number, number, number]>("PRAGMA wal_checkpoint(NOOP)");
    return { pages, copied };
  }

  close(): void {
    this.#statements.clear();
    if (!this.handle.isOpen) return;
    if (!this.isReadOnly) this.#checkpoint();
    this.handle.close();
  }

  /** A reader that closes last cannot checkpoint; the WAL is then read on the next start. */
  #checkpoint(): void {
    try {
      this.handle.exec("PRAGMA busy_timeout = 200; PRAGMA wal_checkpoint(TRUNCATE);");
    } catch {
      // The WAL is checkpointed later.
    }
  }

  /** Cached, since its text is long. */
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
    // SQLite recompiles a statement for every value bound to LIMIT, unless it is an expression.
    const statement = this.handle.prepare(sql.replaceAll("LIMIT ?", "LIMIT +?"));
    statement.setReturnArrays(true);
    this.#statements.set(sql, statement);
    return statement;
  }
}

function rows<R extends Row>(found: unknown): R[] {
  return found as R[];
}

import { Mutex } from "../../../std/async.ts";
import type { LruCache } from "../../../std/maps.ts";
import { defined } from "../../../std/values.ts";
import type { Database, Fence, Row, Snapshot, Value, Writer } from "../database.ts";
import type { ColumnType } from "./binaryArray.ts";
import { columnType } from "./binaryArray.ts";
import { ConnectionPool } from "./connectionPool.ts";
import type { PostgresConnection } from "./postgresConnection.ts";
import { DIALECT, PLANNER } from "./postgresDialect.ts";
import type { Caches } from "./postgresWriter.ts";
import { emptyCache, PostgresSnapshot, PostgresWriter } from "./postgresWriter.ts";
import type { VersionFeed } from "./versionFeed.ts";
import { VERSION_TABLE } from "./versionFeed.ts";
import { LEASE_TABLE } from "./writerLease.ts";

/** Tables of the engine, which a store does not see. */
const OWN_TABLES = [VERSION_TABLE, LEASE_TABLE];

const READ_VERSION = `SELECT version FROM ${VERSION_TABLE}`;

interface PostgresDatabaseOptions {
  readonly schema: string;
  readonly open: () => Promise<PostgresConnection>;
  readonly connections: number;
  readonly readOnly: boolean;
  readonly versions: VersionFeed;
}

/** The tables of one schema. Transactions are serialized, snapshots run concurrently. */
export class PostgresDatabase implements Database {
  readonly dialect = DIALECT;
  readonly maintenance = undefined;
  readonly #schema: string;
  readonly #mode: string;
  readonly #readers: ConnectionPool;
  readonly #writers: ConnectionPool;
  readonly #versions: VersionFeed;
  readonly #mutex = new Mutex();
  readonly #types = new Map<string, Map<string, ColumnType>>();
  #state: { readonly version: number; readonly caches: Caches } = { version: -1, caches: new Map() };

  constructor({ schema, open, connections, readOnly, versions }: PostgresDatabaseOptions) {
    this.#mode = readOnly ? "READ ONLY" : "READ WRITE";
    this.#schema = schema;
    this.#readers = new ConnectionPool(connections, open);
    this.#writers = new ConnectionPool(1, open);
    this.#versions = versions;
  }

  all<R extends Row = Row>(sql: string, ...parameters: Value[]): Promise<R[]> {
    return this.snapshot((snapshot) => snapshot.all<R>(sql, ...parameters));
  }

  load<R extends Row = Row>(sql: string, keys: readonly Value[]): Promise<R[]> {
    return this.snapshot((snapshot) => snapshot.load<R>(sql, keys));
  }

  loadPairs<R extends Row = Row>(sql: string, pairs: readonly (readonly [Value, Value])[]): Promise<R[]> {
    return this.snapshot((snapshot) => snapshot.loadPairs<R>(sql, pairs));
  }

  snapshotCache<K, V>(): LruCache<K, V> {
    return emptyCache();
  }

  get version(): number {
    return this.#versions.newest;
  }

  readVersion(): Promise<number> {
    return this.snapshot(async ({ version }) => version);
  }

  tables(): Promise<string[]> {
    return this.#readers.use((connection) => this.#listTables(connection));
  }

  snapshot<T>(work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    return this.#readers.use(async (connection) => {
      const begun = connection.script(this.#begin("ISOLATION LEVEL REPEATABLE READ, READ ONLY"));
      const [, [row]] = await Promise.all([begun, connection.all<[number]>(READ_VERSION, [])]);
      const version = defined(row)[0];
      this.#versions.observe(version);
      const snapshot = new PostgresSnapshot(connection, version, this.#cachesOf(version));
      try {
        return await work(snapshot);
      } finally {
        snapshot.end();
        // Sent before whatever uses the connection next, which need not wait for it.
        void connection.script("COMMIT").catch(() => {});
      }
    });
  }

  transaction<T>(fence: Fence, work: (writer: Writer) => Promise<T>): Promise<T> {
    return this.#mutex.run(() => this.#writers.use((connection) => this.#transact(connection, fence, work)));
  }

  async #transact<T>(connection: PostgresConnection, fence: Fence, work: (writer: Writer) => Promise<T>): Promise<T> {
    const writer = new PostgresWriter(
      connection,
      (table) => this.#typesOf(connection, table),
      () => this.#listTables(connection),
      () => this.#types.clear(),
    );
    try {
      // The lock on the version serializes writers of all processes.
      const begun = connection.script(`${this.#begin(this.#mode)}; ${READ_VERSION} FOR UPDATE`);
      begun.catch(() => {});
      await fence.check(writer);
      const result = await work(writer);
      await begun;
      await writer.settle();
      const version = await this.#commit(connection, writer.hasChanged);
      if (version !== undefined) this.#versions.observe(version);
      return result;
    } catch (error) {
      this.#types.clear();
      await connection.script("ROLLBACK").catch(() => {});
      throw error;
    } finally {
      writer.end();
    }
  }

  async #commit(connection: PostgresConnection, hasChanged: boolean): Promise<number | undefined> {
    if (!hasChanged) {
      await connection.script("COMMIT");
      return undefined;
    }
    const incremented = connection.all<[number]>(
      `UPDATE ${VERSION_TABLE} SET version = version + 1 RETURNING version, pg_notify('${this.#versions.channel}', version::text)`,
      [],
    );
    const [[row]] = await Promise.all([incremented, connection.script("COMMIT")]);
    return defined(row)[0];
  }

  #begin(mode: string): string {
    return `BEGIN ${mode}; SET LOCAL search_path = ${this.#schema}; ${PLANNER}`;
  }

  #cachesOf(version: number): Caches {
    if (version > this.#state.version) this.#state = { version, caches: new Map() };
    return version === this.#state.version ? this.#state.caches : new Map();
  }

  async #listTables(connection: PostgresConnection): Promise<string[]> {
    const sql = "SELECT tablename::text FROM pg_tables WHERE schemaname = ? AND tablename <> ALL(?)";
    return (await connection.all<[string]>(sql, [this.#schema, OWN_TABLES])).map(([name]) => name);
  }

  async #typesOf(connection: PostgresConnection, table: string): Promise<ReadonlyMap<string, ColumnType>> {
    if (!this.#types.has(table)) await this.#loadTypes(connection);
    return this.#types.get(table) ?? new Map();
  }

  async #loadTypes(connection: PostgresConnection): Promise<void> {
    this.#types.clear();
    for (const [table, column, oid] of await connection.all<[string, string, number]>(COLUMNS, [this.#schema])) {
      const types = this.#types.get(table) ?? new Map<string, ColumnType>();
      this.#types.set(table, types.set(column, columnType(oid)));
    }
  }

  async close(): Promise<void> {
    await this.#mutex.idle();
    await Promise.all([this.#readers.close(), this.#writers.close(), this.#versions.close()]);
  }
}

const COLUMNS = `SELECT c.relname::text, a.attname::text, a.atttypid::bigint FROM pg_class c CROSS JOIN pg_attribute a
  WHERE c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = ?) AND c.relkind = 'r' AND a.attrelid = c.oid AND a.attnum > 0`;

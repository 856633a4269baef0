import { setTimeout as delay } from "node:timers/promises";
import { asChainError, ChainError } from "../../../chain/error.ts";
import { Mutex, settleAll } from "../../../std/async.ts";
import type { LruCache } from "../../../std/maps.ts";
import { defined } from "../../../std/values.ts";
import type { Database, Dialect, Fence, Reader, Row, Snapshot, Value, Writer, WriterInfo } from "../database.ts";
import { NO_FENCE } from "../database.ts";
import type { ColumnType } from "./binaryArray.ts";
import { columnType } from "./binaryArray.ts";
import { ConnectionPool } from "./connectionPool.ts";
import type { Distribution } from "./distribution.ts";
import { ON_ONE_NODE } from "./distribution.ts";
import { LEASE_TABLE, LeaseTable } from "./leaseTable.ts";
import { NODE_TABLES } from "./nodeVersions.ts";
import type { PostgresConnection } from "./postgresConnection.ts";
import type { Caches } from "./postgresWriter.ts";
import { emptyCache, PostgresReader, PostgresSnapshot, PostgresWriter } from "./postgresWriter.ts";
import type { ReplicaGuard } from "./replicaGuard.ts";
import type { VersionFeed } from "./versionFeed.ts";
import { VERSION_TABLE } from "./versionFeed.ts";

/** Tables of the engine, which a store does not see. */
const OWN_TABLES = [VERSION_TABLE, LEASE_TABLE, ...NODE_TABLES];

/** Milliseconds. A writer that is stopped inside a transaction must not keep others from taking over. */
const READER_TIMEOUTS = { statement_timeout: "30000", idle_in_transaction_session_timeout: "30000" };
const WRITER_TIMEOUTS = { statement_timeout: "30000", idle_in_transaction_session_timeout: "4000" };

/** A writer that waited for another one sees what that one has committed. */
const BEGIN = "BEGIN ISOLATION LEVEL READ COMMITTED";

/** Milliseconds for which a lost server is waited for to learn whether it committed. */
const RESOLVE_TIMEOUT = 60_000;
const RESOLVE_INTERVAL = 500;

/** Milliseconds for which the nodes of a distributed database may show different states, as during a commit. */
const AGREE_TIMEOUT = 5000;
const AGREE_INTERVAL = 5;

interface PostgresDatabaseOptions {
  readonly schema: string;
  /** For messages. */
  readonly place: string;
  readonly open: () => Promise<PostgresConnection>;
  readonly connections: number;
  readonly readOnly: boolean;
  readonly versions: VersionFeed;
  /** Of a replica. */
  readonly guard?: ReplicaGuard | undefined;
  readonly distribution?: Distribution;
}

/** The tables of one schema. Transactions are serialized, snapshots run concurrently. */
export class PostgresDatabase implements Database {
  readonly dialect: Dialect;
  readonly maintenance = undefined;
  readonly #options: PostgresDatabaseOptions;
  readonly #distribution: Distribution;
  readonly #schema: string;
  readonly #enterToRead: string;
  readonly #enterToWrite: string;
  readonly #readers: ConnectionPool;
  readonly #writers: ConnectionPool;
  readonly #versions: VersionFeed;
  readonly #mutex = new Mutex();
  readonly #types = new Map<string, Map<string, ColumnType>>();
  #state: { readonly version: number; readonly caches: Caches } = { version: -1, caches: new Map() };
  /** Version of the state that the single writer's memory is of. */
  #written: number | undefined;

  constructor(options: PostgresDatabaseOptions) {
    this.#options = options;
    this.#schema = options.schema;
    this.#distribution = options.distribution ?? ON_ONE_NODE;
    this.dialect = this.#distribution.dialect;
    this.#enterToRead = enterSql(options.schema, READER_TIMEOUTS, this.#distribution);
    this.#enterToWrite = `${enterSql(options.schema, WRITER_TIMEOUTS, this.#distribution)} FOR UPDATE`;
    this.#readers = new ConnectionPool(options.connections, options.open);
    this.#writers = new ConnectionPool(1, options.open);
    this.#versions = options.versions;
  }

  /** Waits for a transaction that a lost connection left behind, so that nothing is read before it. */
  async prepare(): Promise<void> {
    if (this.#options.readOnly) this.#versions.observe(await this.readVersion());
    else this.#written = await this.#lockedVersion();
  }

  all<R extends Row = Row>(sql: string, ...parameters: Value[]): Promise<R[]> {
    return this.batch((reader) => reader.all<R>(sql, ...parameters));
  }

  load<R extends Row = Row>(sql: string, keys: readonly Value[]): Promise<R[]> {
    return this.batch((reader) => reader.load<R>(sql, keys));
  }

  loadPairs<R extends Row = Row>(sql: string, pairs: readonly (readonly [Value, Value])[]): Promise<R[]> {
    return this.batch((reader) => reader.loadPairs<R>(sql, pairs));
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

  writer(): Promise<WriterInfo | undefined> {
    const lease = new LeaseTable(this.#options);
    return this.#readers.use((connection) => lease.read(connection));
  }

  tables(): Promise<string[]> {
    return this.#readers.use((connection) => this.#listTables(connection));
  }

  /** The first statements are sent with BEGIN. A snapshot waits for its version, which selects its caches. */
  batch<T>(work: (reader: Reader) => Promise<T>): Promise<T> {
    return this.#read(async (connection, begun) => {
      const reader = new PostgresReader(connection, this.dialect);
      try {
        if (this.#distribution.versions !== undefined) await begun;
        const [, result] = await settleAll([begun, work(reader)]);
        return result;
      } finally {
        reader.end();
      }
    });
  }

  snapshot<T>(work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    return this.#read(async (connection, begun) => {
      const version = await begun;
      const snapshot = new PostgresSnapshot(connection, version, this.#cachesOf(version), this.dialect);
      try {
        return await work(snapshot);
      } finally {
        snapshot.end();
      }
    });
  }

  #read<T>(work: (connection: PostgresConnection, version: Promise<number>) => Promise<T>): Promise<T> {
    return this.#readers.use(async (connection) => {
      try {
        return await work(connection, this.#beginReading(connection));
      } finally {
        // Sent before whatever uses the connection next, which need not wait for it.
        void connection.script("COMMIT").catch(() => {});
      }
    });
  }

  async #beginReading(connection: PostgresConnection): Promise<number> {
    const { versions } = this.#distribution;
    const deadline = performance.now() + AGREE_TIMEOUT;
    let [version, nodes] = await this.#startReading(connection);
    while (versions !== undefined && !(await versions.areAt(connection, nodes))) {
      await connection.script("ROLLBACK");
      if (performance.now() > deadline) throw notYetEqual(this.#options.place);
      await delay(AGREE_INTERVAL);
      [version, nodes] = await this.#startReading(connection);
    }
    this.#versions.observe(version);
    this.#options.guard?.check(version);
    return version;
  }

  async #startReading(connection: PostgresConnection): Promise<Entered> {
    const begun = connection.script("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY");
    const [, [row]] = await Promise.all([begun, connection.all<Entered>(this.#enterToRead, [])]);
    return defined(row);
  }

  async transaction<T>(fence: Fence, work: (writer: Writer) => Promise<T>): Promise<T> {
    if (this.#options.readOnly) throw new ChainError("invalid_argument", "the database was opened for reading");
    return this.#mutex.run(() => this.#writers.use((connection) => this.#transact(connection, fence, work)));
  }

  async #transact<T>(connection: PostgresConnection, fence: Fence, work: (writer: Writer) => Promise<T>): Promise<T> {
    const writer = new PostgresWriter(
      connection,
      (table) => this.#typesOf(connection, table),
      () => this.#listTables(connection),
      this.#distribution,
      () => this.#types.clear(),
    );
    try {
      const version = await this.#enter(connection, fence, writer);
      const result = await work(writer);
      if (writer.hasChanged) await this.#commit(connection, { version, fence, writer });
      else await connection.script("COMMIT");
      return result;
    } catch (error) {
      this.#types.clear();
      await connection.script("ROLLBACK").catch(() => {});
      throw error;
    } finally {
      writer.end();
    }
  }

  /** Returns the version before the transaction. The lock on it serializes the writers of all processes. */
  async #enter(connection: PostgresConnection, fence: Fence, writer: Writer): Promise<number> {
    const begun = Promise.all([connection.script(BEGIN), connection.all<Entered>(this.#enterToWrite, [])]);
    const checked = fence.check(writer);
    // After a statement that failed the others fail as well, which says nothing.
    checked.catch(() => {});
    const [version, nodes] = defined((await begun)[1][0]);
    await checked;
    // A worker may still have to commit what the last writer prepared.
    const { versions } = this.#distribution;
    if (versions !== undefined && !(await versions.areAt(connection, nodes))) throw notYetEqual(this.#options.place);
    if (fence !== NO_FENCE && version !== this.#written) throw changed(this.#options.place);
    return version;
  }

  async #commit(connection: PostgresConnection, { version, fence, writer }: Commit): Promise<void> {
    const sql = `UPDATE ${VERSION_TABLE} SET version = version + 1 RETURNING version, pg_notify('${this.#versions.channel}', version::text)`;
    try {
      // After a statement that failed, COMMIT rolls back. The lease counts from the end of a transaction.
      await settleAll([
        writer.settle(),
        fence.check(writer),
        this.#distribution.versions?.write(connection, version + 1) ?? Promise.resolve(),
        connection.all(sql, []),
        connection.script("COMMIT"),
      ]);
    } catch (error) {
      await this.#resolve(asChainError(error), version, fence);
    }
    this.#written = version + 1;
    this.#versions.observe(version + 1);
  }

  /** Finds out whether a transaction was committed whose connection was lost. Throws if it was not. */
  async #resolve(error: ChainError, before: number, fence: Fence): Promise<void> {
    if (error.code !== "store_unavailable") throw error;
    const deadline = performance.now() + RESOLVE_TIMEOUT;
    for (;;) {
      const version = await this.#lockedVersion().catch(() => undefined);
      if (version === before + 1) return;
      if (version === before || (version !== undefined && fence === NO_FENCE)) throw error;
      if (version !== undefined || performance.now() > deadline) throw changed(this.#options.place);
      await delay(RESOLVE_INTERVAL);
    }
  }

  /** The version after all transactions in progress. */
  async #lockedVersion(): Promise<number> {
    const connection = await this.#options.open();
    try {
      const [, [row]] = await Promise.all([connection.script(BEGIN), connection.all<[number]>(this.#enterToWrite, [])]);
      return defined(row)[0];
    } finally {
      await connection.close();
    }
  }

  #cachesOf(version: number): Caches {
    if (version !== this.#state.version && version >= this.#versions.newest) {
      this.#state = { version, caches: new Map() };
    }
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
    await this.#options.guard?.close();
  }
}

/** Bytes arrive in this spelling, whatever the server's or the role's is. */
const OUTPUT = { bytea_output: "hex" };

/** Reads the version and makes the settings of a transaction, as one statement that is prepared once. */
function enterSql(
  schema: string,
  timeouts: Readonly<Record<string, string>>,
  { settings, versions }: Distribution,
): string {
  const all = Object.entries({ search_path: schema, ...timeouts, ...OUTPUT, ...settings });
  const made = all.map(([name, value]) => `set_config('${name}', '${value}', true)`);
  return `SELECT version, ${versions?.expected ?? "NULL"}, ${made.join(", ")} FROM ${schema}.${VERSION_TABLE}`;
}

type Entered = [version: number, nodes: string | null, ...settings: string[]];

interface Commit {
  readonly version: number;
  readonly fence: Fence;
  readonly writer: PostgresWriter;
}

function notYetEqual(place: string): ChainError {
  return new ChainError("store_unavailable", `the nodes of ${place} do not show the same state yet`);
}

function changed(place: string): ChainError {
  return new ChainError("store_changed", `${place} is not in the state that this process left it in`);
}

const COLUMNS = `SELECT c.relname::text, a.attname::text, a.atttypid::bigint FROM pg_class c CROSS JOIN pg_attribute a
  WHERE c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = ?) AND c.relkind = 'r' AND a.attrelid = c.oid AND a.attnum > 0`;

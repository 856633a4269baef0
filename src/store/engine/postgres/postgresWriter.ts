import { ChainError } from "../../../chain/error.ts";
import { Turn } from "../../../std/async.ts";
import { LruCache } from "../../../std/maps.ts";
import type { Dialect, Reader, Row, Snapshot, Value, Writer } from "../database.ts";
import type { ColumnType } from "./binaryArray.ts";
import { binaryArray } from "./binaryArray.ts";
import { binaryRows, copyBatches } from "./copyQuery.ts";
import type { Distribution } from "./distribution.ts";
import type { PostgresConnection } from "./postgresConnection.ts";
import { arrayOf } from "./postgresConnection.ts";

const MAX_CACHED = 10_000;

export const emptyCache = <K, V>(): LruCache<K, V> => new LruCache(MAX_CACHED);

/** Rows of one statement. */
const MAX_ROWS = 5000;

/** Rows of an insert from which on COPY costs the server less, which then writes them to its log by the page. */
const MIN_COPIED = 100;

/** Statements, and bytes of their rows, that are sent before the result of the first is awaited. */
const MAX_PIPELINED = 512;
const MAX_PIPELINED_BYTES = 16 << 20;

/** Types of the columns of each table. */
export type ColumnTypes = (table: string) => Promise<ReadonlyMap<string, ColumnType>>;

export type Caches = Map<string, LruCache<unknown, unknown>>;

export class PostgresReader implements Reader {
  readonly dialect: Dialect;
  readonly #connection: PostgresConnection;
  #isOver = false;

  constructor(connection: PostgresConnection, dialect: Dialect) {
    this.dialect = dialect;
    this.#connection = connection;
  }

  end(): void {
    this.#isOver = true;
  }

  async all<R extends Row = Row>(sql: string, ...parameters: Value[]): Promise<R[]> {
    return this.connection.all<R>(sql, parameters);
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

  protected get connection(): PostgresConnection {
    if (this.#isOver) throw new ChainError("internal", "a transaction was used after its end");
    return this.#connection;
  }
}

export class PostgresSnapshot extends PostgresReader implements Snapshot {
  readonly version: number;
  readonly #caches: Caches;

  constructor(connection: PostgresConnection, version: number, caches: Caches, dialect: Dialect) {
    super(connection, dialect);
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

/** Writes are pipelined: a failure is reported by the next read, or at the end of the transaction. */
export class PostgresWriter extends PostgresReader implements Writer {
  readonly #typesOf: ColumnTypes;
  readonly #tables: () => Promise<string[]>;
  readonly #distribution: Distribution;
  readonly #onSchemaChange: () => void;
  #sent: Promise<unknown>[] = [];
  #sentBytes = 0;
  readonly #turn = new Turn();
  #failure: { readonly error: unknown } | undefined;
  hasChanged = false;

  constructor(
    connection: PostgresConnection,
    typesOf: ColumnTypes,
    tables: () => Promise<string[]>,
    distribution: Distribution,
    onSchemaChange: () => void,
  ) {
    super(connection, distribution.dialect);
    this.#distribution = distribution;
    this.#onSchemaChange = onSchemaChange;
    this.#typesOf = typesOf;
    this.#tables = tables;
  }

  override async all<R extends Row = Row>(sql: string, ...parameters: Value[]): Promise<R[]> {
    return this.#read(super.all<R>(sql, ...parameters));
  }

  override async load<R extends Row = Row>(sql: string, keys: readonly Value[]): Promise<R[]> {
    return this.#read(super.load<R>(sql, keys));
  }

  override async loadPairs<R extends Row = Row>(
    sql: string,
    pairs: readonly (readonly [Value, Value])[],
  ): Promise<R[]> {
    return this.#read(super.loadPairs<R>(sql, pairs));
  }

  async run(sql: string, ...parameters: Value[]): Promise<void> {
    if (/^(CREATE|ALTER|DROP)\b/.test(sql)) this.#onSchemaChange();
    await this.#send(sql, parameters);
    const following = this.#distribution.afterCreating(sql);
    if (following !== undefined) await this.#send(following, []);
  }

  async insert(table: string, columns: readonly string[], rows: Iterable<Row>): Promise<void> {
    const into = `${table} (${columns.join(",")})`;
    for (const batch of copyBatches(rows)) {
      if (batch.length < MIN_COPIED) await this.#insert(table, columns, batch, "");
      else await this.#copy(`COPY ${into} FROM STDIN (FORMAT binary)`, binaryRows(batch, columns.length));
    }
  }

  /** Unlike an upsert it finds a row once, and does not lock it first. */
  async update(table: string, columns: readonly string[], rows: Iterable<Row>, keys = 1): Promise<void> {
    // Each shard would be sent all rows.
    if (this.#distribution.versions !== undefined) return this.upsert(table, columns, rows, keys);
    const changes = columns.slice(keys).map((column) => `${column} = changed.${column}`);
    const condition = columns.slice(0, keys).map((column) => `${table}.${column} = changed.${column}`);
    const changed = `AS changed(${columns.join(",")}) WHERE ${condition.join(" AND ")}`;
    await this.#sendRows(
      table,
      columns,
      rows,
      (values) => `UPDATE ${table} SET ${changes.join(",")} FROM ${values} ${changed}`,
      (stored, sent) => {
        if (stored !== sent) throw new ChainError("internal", `${stored} of ${sent} rows of ${table} are stored`);
      },
    );
  }

  async upsert(table: string, columns: readonly string[], rows: Iterable<Row>, keys = 1): Promise<void> {
    const changes = columns.slice(keys).map((column) => `${column} = excluded.${column}`);
    const key = columns.slice(0, keys).join(",");
    const action = changes.length === 0 ? "NOTHING" : `UPDATE SET ${changes.join(",")}`;
    await this.#insert(table, columns, rows, ` ON CONFLICT (${key}) DO ${action}`);
  }

  async remove(table: string, columns: readonly string[], keys: Iterable<Row>): Promise<void> {
    const condition = columns.map((column) => `${table}.${column} = gone.${column}`).join(" AND ");
    const gone = `AS gone(${columns.join(",")})`;
    await this.#sendRows(
      table,
      columns,
      keys,
      (rows) => `DELETE FROM ${table} USING ${rows} ${gone} WHERE ${condition}`,
    );
  }

  tables(): Promise<string[]> {
    return this.#tables();
  }

  /** Waits for all statements. Throws the first failure. */
  async settle(): Promise<void> {
    this.#sentBytes = 0;
    await Promise.all(this.#sent.splice(0));
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  async #insert(table: string, columns: readonly string[], rows: Iterable<Row>, ending: string): Promise<void> {
    const into = `INSERT INTO ${table} (${columns.join(",")})`;
    await this.#sendRows(table, columns, rows, (values) => `${into} SELECT * FROM ${values}${ending}`);
  }

  async #sendRows(
    table: string,
    columns: readonly string[],
    rows: Iterable<Row>,
    sqlFor: (rows: string) => string,
    check: (changed: number, sent: number) => void = () => {},
  ): Promise<void> {
    const types = await this.#typesFor(table, columns);
    const sql = sqlFor(`unnest(${types.map(arrayOf).join(",")})`);
    let values: Value[][] = columns.map(() => []);
    const flush = async () => {
      const sent = values[0]!.length;
      const arrays = types.map((type, at) => binaryArray(type, values[at]!));
      values = columns.map(() => []);
      await this.#send(sql, arrays, (changed) => check(changed, sent));
    };
    for (const row of rows) {
      for (let column = 0; column < columns.length; column++) values[column]!.push(row[column]!);
      if (values[0]!.length === MAX_ROWS) await flush();
    }
    if (values[0]!.length > 0) await flush();
  }

  async #typesFor(table: string, columns: readonly string[]): Promise<ColumnType[]> {
    const types = await this.#typesOf(table);
    return columns.map((column) => {
      const type = types.get(column);
      if (type === undefined) throw new ChainError("internal", `the table ${table} has no column ${column}`);
      return type;
    });
  }

  async #send(sql: string, parameters: readonly unknown[], check = (_changed: number): void => {}): Promise<void> {
    let bytes = 0;
    for (const parameter of parameters) if (parameter instanceof Uint8Array) bytes += parameter.length;
    await this.#note(this.connection.run(sql, parameters).then(check), bytes);
  }

  async #copy(sql: string, rows: Buffer): Promise<void> {
    await this.#note(this.connection.copy(sql, rows), rows.length);
  }

  async #note(sending: Promise<unknown>, bytes: number): Promise<void> {
    this.hasChanged = true;
    const sent = sending.catch((error: unknown) => {
      this.#failure ??= { error };
    });
    this.#sent.push(sent);
    this.#sentBytes += bytes;
    if (this.#sent.length >= MAX_PIPELINED || this.#sentBytes >= MAX_PIPELINED_BYTES) await this.settle();
    // The event loop sends what does not fit into the socket, and the server ends a transaction that stays idle.
    else await this.#turn.yieldToEventLoop();
  }

  /** An earlier statement that failed is why the transaction is aborted. */
  async #read<T>(reading: Promise<T>): Promise<T> {
    try {
      return await reading;
    } catch (error) {
      throw this.#failure?.error ?? error;
    }
  }
}

import { LruCache } from "../../src/std/maps.ts";
import type { Database, Fence, Reader, Row, Snapshot, Value, Writer } from "../../src/store/engine/database.ts";
import { SqliteDatabase } from "../../src/store/engine/sqlite.ts";

type Yield = () => Promise<void>;

const SERIAL = "SELECT value FROM meta WHERE name = 'serial'";

/**
 * A database of a file over several connections, as engines with a pool have them: snapshots and transactions run at the
 * same time, others have their turn before and after every statement, and snapshots of one state share their caches.
 */
export class InterleavedDatabase implements Database {
  readonly dialect: Database["dialect"];
  readonly maintenance = undefined;
  readonly #writer: SqliteDatabase;
  /** The connections that no snapshot has. */
  readonly #idle: SqliteDatabase[];
  readonly #yield: Yield;
  readonly #caches = new Map<number, Map<string, LruCache<unknown, unknown>>>();

  /** `turn` is waited for before and after every statement. */
  constructor(path: string, connections: number, turn: Yield) {
    this.#writer = new SqliteDatabase({ path });
    this.#idle = Array.from({ length: connections }, () => new SqliteDatabase({ path }));
    this.dialect = this.#writer.dialect;
    this.#yield = turn;
  }

  all<R extends Row = Row>(sql: string, ...parameters: Value[]): Promise<R[]> {
    return this.#newest().all<R>(sql, ...parameters);
  }

  load<R extends Row = Row>(sql: string, keys: readonly Value[]): Promise<R[]> {
    return this.#newest().load<R>(sql, keys);
  }

  loadPairs<R extends Row = Row>(sql: string, pairs: readonly (readonly [Value, Value])[]): Promise<R[]> {
    return this.#newest().loadPairs<R>(sql, pairs);
  }

  async writer(): Promise<undefined> {
    return undefined;
  }

  snapshotCache<K, V>(): LruCache<K, V> {
    return new LruCache(1000);
  }

  batch<T>(work: (reader: Reader) => Promise<T>): Promise<T> {
    return work(this);
  }

  async snapshot<T>(work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    const reader = this.#idle.pop();
    if (reader === undefined) throw new Error("no connection is idle");
    try {
      return await this.#snapshotOf(reader, work);
    } finally {
      this.#idle.push(reader);
    }
  }

  #snapshotOf<T>(reader: SqliteDatabase, work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    return reader.snapshot(async (taken) => {
      const [row] = (await tablesOf(taken)).includes("meta") ? await taken.all<[string]>(SERIAL) : [];
      const version = Number(row?.[0] ?? 0);
      const caches = this.#caches.get(version) ?? new Map<string, LruCache<unknown, unknown>>();
      this.#caches.set(version, caches);
      const snapshotCache = <K, V>(name: string) => {
        const cache = caches.get(name) ?? new LruCache<unknown, unknown>(10_000);
        caches.set(name, cache);
        return cache as LruCache<K, V>;
      };
      return work({ ...interleave(taken, this.#yield), version, snapshotCache });
    });
  }

  transaction<T>(fence: Fence, work: (writer: Writer) => Promise<T>): Promise<T> {
    return this.#writer.transaction(fence, async (writer) => {
      const interleaved: Writer = {
        ...interleave(writer, this.#yield),
        tables: () => writer.tables(),
        run: (...statement) => this.#yield().then(() => writer.run(...statement)),
        insert: (...rows) => this.#yield().then(() => writer.insert(...rows)),
        update: (...rows) => this.#yield().then(() => writer.update(...rows)),
        upsert: (...rows) => this.#yield().then(() => writer.upsert(...rows)),
        remove: (...keys) => this.#yield().then(() => writer.remove(...keys)),
      };
      const result = await work(interleaved);
      const [row] = await writer.all<[string]>(SERIAL);
      await writer.upsert("meta", ["name", "value"], [["serial", String(Number(row?.[0] ?? 0) + 1)]]);
      return result;
    });
  }

  get version(): number {
    return this.#writer.version;
  }

  readVersion(): Promise<number> {
    return this.#writer.readVersion();
  }

  tables(): Promise<string[]> {
    return this.#newest().tables();
  }

  async close(): Promise<void> {
    for (const database of [...this.#idle, this.#writer]) await database.close();
  }

  #newest(): SqliteDatabase {
    const [reader] = this.#idle;
    if (reader === undefined) throw new Error("no connection is idle");
    return reader;
  }
}

async function tablesOf(reader: Reader): Promise<string[]> {
  return (await reader.all<[string]>("SELECT name FROM sqlite_master")).map(([name]) => name);
}

function interleave(reader: Reader, turn: Yield): Reader {
  const around = async <T>(work: () => Promise<T>) => {
    await turn();
    const result = await work();
    await turn();
    return result;
  };
  return {
    dialect: reader.dialect,
    snapshotCache: (name) => reader.snapshotCache(name),
    all: (...query) => around(() => reader.all(...query)),
    load: (...query) => around(() => reader.load(...query)),
    loadPairs: (...query) => around(() => reader.loadPairs(...query)),
  };
}

import { LruCache } from "../../src/std/maps.ts";
import type { KeyedHash } from "../../src/store/dictionary/keyedHash.ts";
import type { Database, Fence, ReadDatabase, Reader, Snapshot, Writer } from "../../src/store/engine/database.ts";
import type { ReadSession } from "../../src/store/session.ts";
import { StoreReader } from "../../src/store/storeReader.ts";
import { Rounds } from "./rounds.ts";

/** Statements of each round trip, and snapshots taken. */
export interface Usage {
  readonly rounds: readonly (readonly string[])[];
  readonly snapshots: number;
}

const MAX_CACHED = 10_000;

/**
 * A database that answers as one behind a network does: all statements that are waiting are sent together, and their rows
 * arrive together, which is one round. Snapshots run at the same time, as on a pool of connections. Nobody may write
 * meanwhile, because the statements of a snapshot run on the newest state.
 */
export class CountingDatabase implements ReadDatabase {
  readonly dialect: ReadDatabase["dialect"];
  readonly maintenance: ReadDatabase["maintenance"];
  readonly #database: ReadDatabase;
  readonly #caches = new Map<string, LruCache<unknown, unknown>>();
  protected readonly rounds = new Rounds();
  #commits = 0;
  #snapshots = 0;

  constructor(database: ReadDatabase) {
    this.#database = database;
    this.dialect = database.dialect;
    this.maintenance = database.maintenance;
  }

  readonly all: Reader["all"] = (sql, ...parameters) =>
    this.rounds.read(sql, () => this.#database.all(sql, ...parameters));

  readonly load: Reader["load"] = (sql, keys) =>
    keys.length === 0 ? Promise.resolve([]) : this.rounds.read(sql, () => this.#database.load(sql, keys));

  readonly loadPairs: Reader["loadPairs"] = (sql, pairs) =>
    pairs.length === 0 ? Promise.resolve([]) : this.rounds.read(sql, () => this.#database.loadPairs(sql, pairs));

  snapshotCache<K, V>(): LruCache<K, V> {
    return new LruCache(MAX_CACHED);
  }

  batch<T>(work: (reader: Reader) => Promise<T>): Promise<T> {
    return work(this);
  }

  async snapshot<T>(work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    this.#snapshots++;
    const { dialect, all, load, loadPairs } = this;
    const { version } = this;
    return work({ dialect, all, load, loadPairs, version, snapshotCache: (name) => this.#cache(name) });
  }

  #cache<K, V>(name: string): LruCache<K, V> {
    const cache = this.#caches.get(name) ?? new LruCache<unknown, unknown>(MAX_CACHED);
    this.#caches.set(name, cache);
    return cache as LruCache<K, V>;
  }

  get version(): number {
    return this.#database.version + this.#commits;
  }

  async readVersion(): Promise<number> {
    return this.version;
  }

  writer() {
    return this.#database.writer();
  }

  tables(): Promise<string[]> {
    return this.#database.tables();
  }

  async close(): Promise<void> {}

  /** From now on it is in another state, as after a commit, although nothing else is another. */
  commit(): void {
    this.#commits++;
    this.#caches.clear();
  }

  /** Since the last call. */
  take(): Usage {
    const usage = { rounds: this.rounds.take(), snapshots: this.#snapshots };
    this.#snapshots = 0;
    return usage;
  }
}

/**
 * The same for a writer. Its changes are sent without waiting for results, in the order in which they and its reads are
 * issued. A transaction takes a round to begin, with the lease, and one to commit.
 */
export class CountingWriteDatabase extends CountingDatabase implements Database {
  readonly #written: Database;

  constructor(database: Database) {
    super(database);
    this.#written = database;
  }

  override get version(): number {
    return this.#written.version;
  }

  transaction<T>(fence: Fence, work: (writer: Writer) => Promise<T>): Promise<T> {
    return this.#written.transaction(fence, async (writer) => {
      this.rounds.count("BEGIN");
      const result = await work(this.#counted(writer));
      await this.rounds.settle();
      this.rounds.count("COMMIT");
      return result;
    });
  }

  #counted(writer: Writer): Writer {
    const { rounds } = this;
    return {
      dialect: writer.dialect,
      all: (sql, ...parameters) => rounds.read(sql, () => writer.all(sql, ...parameters)),
      load: (sql, keys) =>
        keys.length === 0 ? Promise.resolve([]) : rounds.read(sql, () => writer.load(sql, [...keys])),
      loadPairs: (sql, pairs) =>
        pairs.length === 0 ? Promise.resolve([]) : rounds.read(sql, () => writer.loadPairs(sql, [...pairs])),
      snapshotCache: (name) => writer.snapshotCache(name),
      run: async (sql, ...parameters) => rounds.write(() => writer.run(sql, ...parameters)),
      insert: async (table, columns, rows) => {
        const own = [...rows];
        rounds.write(() => writer.insert(table, columns, own));
      },
      update: async (table, columns, rows, keys) => {
        const own = [...rows];
        rounds.write(() => writer.update(table, columns, own, keys));
      },
      upsert: async (table, columns, rows, keys) => {
        const own = [...rows];
        rounds.write(() => writer.upsert(table, columns, own, keys));
      },
      remove: async (table, columns, keys) => {
        const own = [...keys];
        rounds.write(() => writer.remove(table, columns, own));
      },
      tables: () => writer.tables(),
    };
  }
}

/** A reader of the index that can forget all that it has read. */
export class ForgetfulReader extends StoreReader {
  readonly #counting: CountingDatabase;
  readonly #hash: KeyedHash;
  #reader: StoreReader;

  constructor(database: CountingDatabase, hash: KeyedHash) {
    super(database, hash);
    this.#counting = database;
    this.#hash = hash;
    this.#reader = new StoreReader(database, hash);
  }

  /** The next request is the first of a new block, and of a process that has just started. */
  forget(): void {
    this.#counting.commit();
    this.#reader = new StoreReader(this.#counting, this.#hash);
  }

  override read<T>(work: (session: ReadSession) => Promise<T>): Promise<T> {
    return this.#reader.read(work);
  }
}

import type { LruCache } from "../../std/lruCache.ts";
import type { Database, Reader, Row, Snapshot, Value } from "./database.ts";

/** Keys that are looked up in one turn. */
const KEYS_AT_ONCE = 500;

type Pace = () => Promise<void>;

/** Waits for its turn before every statement. */
class PacedReader<C extends Reader> implements Reader {
  readonly dialect: Reader["dialect"];
  protected readonly paced: C;
  readonly #turn: Pace;

  constructor(paced: C, turn: Pace) {
    this.dialect = paced.dialect;
    this.paced = paced;
    this.#turn = turn;
  }

  async all<R extends Row = Row>(sql: string, ...parameters: Value[]): Promise<R[]> {
    await this.#turn();
    return this.paced.all<R>(sql, ...parameters);
  }

  load<R extends Row = Row>(sql: string, keys: readonly Value[]): Promise<R[]> {
    return this.#inTurns(keys, (some) => this.paced.load<R>(sql, some));
  }

  loadPairs<R extends Row = Row>(sql: string, pairs: readonly (readonly [Value, Value])[]): Promise<R[]> {
    return this.#inTurns(pairs, (some) => this.paced.loadPairs<R>(sql, some));
  }

  async #inTurns<K, R>(keys: readonly K[], load: (some: readonly K[]) => Promise<R[]>): Promise<R[]> {
    const rows: R[] = [];
    for (let at = 0; at < keys.length; at += KEYS_AT_ONCE) {
      await this.#turn();
      for (const row of await load(keys.slice(at, at + KEYS_AT_ONCE))) rows.push(row);
    }
    return rows;
  }

  snapshotCache<K, V>(name: string): LruCache<K, V> {
    return this.paced.snapshotCache(name);
  }
}

class PacedSnapshot extends PacedReader<Snapshot> implements Snapshot {
  get version(): number {
    return this.paced.version;
  }

  backup(path: string): Promise<void> {
    return this.paced.backup(path);
  }
}

/** A database for reading that waits for its turn before every statement. */
export class PacedDatabase extends PacedReader<Database> implements Database {
  readonly #turn: Pace;

  constructor(database: Database, turn: Pace) {
    super(database, turn);
    this.#turn = turn;
  }

  run(sql: string, ...parameters: Value[]): Promise<void> {
    return this.paced.run(sql, ...parameters);
  }

  insert(table: string, columns: readonly string[], rows: Iterable<Row>): Promise<void> {
    return this.paced.insert(table, columns, rows);
  }

  upsert(table: string, columns: readonly string[], rows: Iterable<Row>, keys?: number): Promise<void> {
    return this.paced.upsert(table, columns, rows, keys);
  }

  remove(table: string, columns: readonly string[], keys: Iterable<Row>): Promise<void> {
    return this.paced.remove(table, columns, keys);
  }

  transaction<T>(work: () => Promise<T>): Promise<T> {
    return this.paced.transaction(work);
  }

  snapshot<T>(work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    return this.paced.snapshot((snapshot) => work(new PacedSnapshot(snapshot, this.#turn)));
  }

  version(): Promise<number> {
    return this.paced.version();
  }

  tables(): Promise<string[]> {
    return this.paced.tables();
  }

  size(): Promise<number> {
    return this.paced.size();
  }

  shrink(): Promise<boolean> {
    return this.paced.shrink();
  }

  close(): Promise<void> {
    return this.paced.close();
  }
}

import type { LruCache } from "../../std/maps.ts";
import type { Reader, Row, Snapshot, Value } from "./database.ts";

const KEYS_PER_TURN = 500;

export type Pace = () => Promise<void>;

class PacedReader<R extends Reader> implements Reader {
  readonly dialect: Reader["dialect"];
  protected readonly paced: R;
  readonly #turn: Pace;

  constructor(paced: R, turn: Pace) {
    this.dialect = paced.dialect;
    this.paced = paced;
    this.#turn = turn;
  }

  async all<T extends Row = Row>(sql: string, ...parameters: Value[]): Promise<T[]> {
    await this.#turn();
    return this.paced.all<T>(sql, ...parameters);
  }

  load<T extends Row = Row>(sql: string, keys: readonly Value[]): Promise<T[]> {
    return this.#inTurns(keys, (some) => this.paced.load<T>(sql, some));
  }

  loadPairs<T extends Row = Row>(sql: string, pairs: readonly (readonly [Value, Value])[]): Promise<T[]> {
    return this.#inTurns(pairs, (some) => this.paced.loadPairs<T>(sql, some));
  }

  async #inTurns<K, T>(keys: readonly K[], load: (some: readonly K[]) => Promise<T[]>): Promise<T[]> {
    const rows: T[] = [];
    for (let at = 0; at < keys.length; at += KEYS_PER_TURN) {
      await this.#turn();
      for (const row of await load(keys.slice(at, at + KEYS_PER_TURN))) rows.push(row);
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
}

export const paceReader = (reader: Reader, turn: Pace): Reader => new PacedReader(reader, turn);

export const paceSnapshot = (snapshot: Snapshot, turn: Pace): Snapshot => new PacedSnapshot(snapshot, turn);

import type { LruCache } from "../../src/std/maps.ts";
import type { Database, Fence, Reader, Row, Snapshot, Value, Writer } from "../../src/store/engine/database.ts";

/** Microseconds of CPU of this thread by what it did in the database, and how many statements that took. */
export interface Spent {
  readonly lookups: number;
  readonly inserts: number;
  readonly commits: number;
  readonly statements: number;
}

type Part = "lookups" | "inserts" | "commits";

/** Names of subqueries. */
const NOT_TABLES = "sought|packed|matched";
const TABLE = new RegExp(`\\b(?:FROM|JOIN|UPDATE|INTO) (?!(?:${NOT_TABLES})\\b)([a-z_]+)`);

const tableOf = (sql: string): string => TABLE.exec(sql)?.[1] ?? sql.slice(0, 40);

/** A database that measures what its user does with it. */
export class MeteredDatabase implements Database {
  readonly dialect: Database["dialect"];
  readonly maintenance: Database["maintenance"];
  readonly #database: Database;
  readonly #meter = new Meter();
  #longestCommitMs = 0;

  constructor(database: Database) {
    this.#database = database;
    this.dialect = database.dialect;
    this.maintenance = database.maintenance;
  }

  get spent(): Spent {
    return { ...this.#meter.spent };
  }

  /** Microseconds of CPU by part and table since it was last taken. */
  takeByTable(): Map<string, number> {
    return this.#meter.takeByTable();
  }

  /** Milliseconds since it was last taken: what a commit takes after the rows are handed over. */
  takeLongestCommit(): number {
    const longest = this.#longestCommitMs;
    this.#longestCommitMs = 0;
    return longest;
  }

  readonly all: Reader["all"] = (sql, ...parameters) =>
    this.#meter.measure("lookups", tableOf(sql), () => this.#database.all(sql, ...parameters));
  readonly load: Reader["load"] = (sql, keys) =>
    this.#meter.measure("lookups", tableOf(sql), () => this.#database.load(sql, keys), keys.length);
  readonly loadPairs: Reader["loadPairs"] = (sql, pairs) =>
    this.#meter.measure("lookups", tableOf(sql), () => this.#database.loadPairs(sql, pairs), pairs.length);

  snapshotCache<K, V>(name: string): LruCache<K, V> {
    return this.#database.snapshotCache(name);
  }

  get version(): number {
    return this.#database.version;
  }

  readVersion(): Promise<number> {
    return this.#database.readVersion();
  }

  writer() {
    return this.#database.writer();
  }

  tables(): Promise<string[]> {
    return this.#database.tables();
  }

  batch<T>(work: (reader: Reader) => Promise<T>): Promise<T> {
    return work(this);
  }

  snapshot<T>(work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    return this.#database.snapshot(work);
  }

  async transaction<T>(fence: Fence, work: (writer: Writer) => Promise<T>): Promise<T> {
    let handedOver = 0;
    let cpu = 0;
    const result = await this.#database.transaction(fence, async (writer) => {
      const done = await work(new MeteredWriter(writer, this.#meter));
      [handedOver, cpu] = [performance.now(), threadCpu()];
      return done;
    });
    this.#meter.spent.commits += threadCpu() - cpu;
    this.#longestCommitMs = Math.max(this.#longestCommitMs, performance.now() - handedOver);
    return result;
  }

  close(): Promise<void> {
    return this.#database.close();
  }
}

interface Statement {
  readonly part: Part;
  readonly name: string;
}

class Meter {
  readonly spent: { -readonly [name in keyof Spent]: number } = { lookups: 0, inserts: 0, commits: 0, statements: 0 };
  #byTable = new Map<string, number>();
  readonly #underWay: Statement[] = [];
  #since = 0;

  /** Statements with no keys do not run. Of several that are under way, the one begun last has the time. */
  async measure<T>(part: Part, table: string, work: () => Promise<T>, keys = 1): Promise<T> {
    if (keys > 0) this.spent.statements++;
    const statement = { part, name: `${part} ${table}` };
    this.#count();
    this.#underWay.push(statement);
    try {
      return await work();
    } finally {
      this.#count();
      this.#underWay.splice(this.#underWay.indexOf(statement), 1);
    }
  }

  #count(): void {
    const now = threadCpu();
    const newest = this.#underWay.at(-1);
    if (newest !== undefined) {
      this.spent[newest.part] += now - this.#since;
      this.#byTable.set(newest.name, (this.#byTable.get(newest.name) ?? 0) + now - this.#since);
    }
    this.#since = now;
  }

  takeByTable(): Map<string, number> {
    const taken = this.#byTable;
    this.#byTable = new Map();
    return taken;
  }
}

class MeteredWriter implements Writer {
  readonly dialect: Writer["dialect"];
  readonly #writer: Writer;
  readonly #meter: Meter;

  constructor(writer: Writer, meter: Meter) {
    this.dialect = writer.dialect;
    this.#writer = writer;
    this.#meter = meter;
  }

  readonly all: Reader["all"] = (sql, ...parameters) =>
    this.#meter.measure("lookups", tableOf(sql), () => this.#writer.all(sql, ...parameters));
  readonly load: Reader["load"] = (sql, keys) =>
    this.#meter.measure("lookups", tableOf(sql), () => this.#writer.load(sql, keys), keys.length);
  readonly loadPairs: Reader["loadPairs"] = (sql, pairs) =>
    this.#meter.measure("lookups", tableOf(sql), () => this.#writer.loadPairs(sql, pairs), pairs.length);

  snapshotCache<K, V>(name: string): LruCache<K, V> {
    return this.#writer.snapshotCache(name);
  }

  run(sql: string, ...parameters: Value[]): Promise<void> {
    return this.#meter.measure("inserts", tableOf(sql), () => this.#writer.run(sql, ...parameters));
  }

  insert(table: string, columns: readonly string[], rows: Iterable<Row>): Promise<void> {
    return this.#meter.measure("inserts", table, () => this.#writer.insert(table, columns, rows));
  }

  update(table: string, columns: readonly string[], rows: Iterable<Row>, keys?: number): Promise<void> {
    return this.#meter.measure("inserts", table, () => this.#writer.update(table, columns, rows, keys));
  }

  upsert(table: string, columns: readonly string[], rows: Iterable<Row>, keys?: number): Promise<void> {
    return this.#meter.measure("inserts", table, () => this.#writer.upsert(table, columns, rows, keys));
  }

  remove(table: string, columns: readonly string[], keys: Iterable<Row>): Promise<void> {
    return this.#meter.measure("inserts", table, () => this.#writer.remove(table, columns, keys));
  }

  tables(): Promise<string[]> {
    return this.#writer.tables();
  }
}

/** Microseconds. */
export function threadCpu(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}

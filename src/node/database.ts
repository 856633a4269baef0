import { existsSync, renameSync, rmSync, statSync } from "node:fs";
import type { SQLOutputValue, StatementSync } from "node:sqlite";
import { DatabaseSync } from "node:sqlite";
import type { Bytes, Hash } from "../chain/encoding/bytes.ts";
import { equalBytes } from "../chain/encoding/bytes.ts";
import { ChainError } from "../chain/error.ts";
import { makeDirectory } from "../std/makeDirectory.ts";
import type { StoredSidecar } from "./blobs/encodeSidecar.ts";
import type { StoredBlock } from "./block/stored.ts";
import { CHAIN_FILE, chainFile, hasChain } from "./chainFile.ts";
import { chainLost, mapDatabaseError, mapWriteError } from "./databaseError.ts";
import type { EmptyRun } from "./emptyBlocks.ts";
import { EmptyBlocks } from "./emptyBlocks.ts";
import { bucketOf, possibleNumbers } from "./emptyHashes.ts";

const SCHEMA = `
  CREATE TABLE meta (key TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID;
  CREATE TABLE nodes (key BLOB PRIMARY KEY, value BLOB);
  CREATE TABLE blocks (number INTEGER PRIMARY KEY, hash BLOB, header BLOB, body BLOB, state_root BLOB);
  CREATE UNIQUE INDEX blocks_by_hash ON blocks (hash);
  CREATE TABLE transactions (hash BLOB PRIMARY KEY, number INTEGER, position INTEGER) WITHOUT ROWID;
  CREATE TABLE sidecars (number INTEGER, position INTEGER, head BLOB, body BLOB, PRIMARY KEY (number, position));
  CREATE TABLE pool (hash BLOB PRIMARY KEY, arrival INTEGER, sender BLOB, raw BLOB, head BLOB, body BLOB);
`;

/** Created on demand: older chains do not have it. */
const EMPTY_RUNS = `
  CREATE TABLE IF NOT EXISTS empty_runs (first INTEGER PRIMARY KEY, last INTEGER, parent BLOB, seconds INTEGER, state_root BLOB)
`;

/** Created on demand. */
const EMPTY_HASHES = `
  CREATE TABLE IF NOT EXISTS empty_hashes (bucket INTEGER, first INTEGER, entries BLOB, PRIMARY KEY (bucket, first))
`;

const TABLES = [...SCHEMA.matchAll(/CREATE TABLE (\w+)/g)].map(([, name = ""]) => name);
const VERSION = "1";

/** Offset of the bloom in a header: list header, parent, uncles, miner and three roots. */
const BLOOM_AT = 3 + 33 + 33 + 21 + 3 * 33 + 3;

interface PooledRow {
  readonly hash: Bytes;
  readonly arrival: number;
  readonly sender: Bytes;
  readonly raw: Bytes;
  readonly sidecar: StoredSidecar | undefined;
}

interface BlockExtras {
  readonly hash: Bytes;
  readonly transactions: readonly Bytes[];
  readonly nodes: ReadonlyMap<string, Bytes>;
  readonly sidecars: ReadonlyMap<number, StoredSidecar>;
}

/**
 * Database of an embedded chain. Every change is one transaction, so the chain is at a complete block after a crash.
 */
export class ChainDatabase {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  readonly #empty = new EmptyBlocks((number) => this.#runOf(number));
  #hasRuns: boolean;
  #hasHashes: boolean;

  /** In memory without a directory. Refuses a file that lost its tables. */
  constructor(directory: string | undefined) {
    if (directory !== undefined) makeFile(directory);
    try {
      this.#database = new DatabaseSync(directory === undefined ? ":memory:" : chainFile(directory));
      if (directory === undefined) create(this.#database);
      else this.#expectTables(directory);
      this.#database.exec(
        // Single process; NORMAL keeps every commit across a crash of the program.
        `PRAGMA locking_mode = EXCLUSIVE; PRAGMA page_size = 4096; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
         PRAGMA cache_size = -2048; PRAGMA wal_autocheckpoint = 4000; PRAGMA journal_size_limit = 67108864;`,
      );
    } catch (error) {
      throw mapDatabaseError(error, directory);
    }
    const hasTable = (name: string) => this.#one("SELECT name FROM sqlite_master WHERE name = ?", name) !== undefined;
    this.#hasRuns = hasTable("empty_runs");
    this.#hasHashes = hasTable("empty_hashes");
    const version = this.meta("version");
    if (version !== VERSION) {
      throw new ChainError("store_newer", `the chain in ${directory} has format ${version}, not ${VERSION}`);
    }
  }

  #expectTables(directory: string): void {
    const found = this.#prepare("SELECT name FROM sqlite_master").all();
    const missing = TABLES.filter((table) => !found.some(({ name }) => name === table));
    if (missing.length > 0) throw chainLost(directory, `${CHAIN_FILE} has no ${missing.join(", ")}`);
  }

  transaction(work: () => void): void {
    try {
      this.#database.exec("BEGIN IMMEDIATE");
      work();
      this.#database.exec("COMMIT");
    } catch (error) {
      // SQLite rolls back by itself if the disk is full.
      if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
      throw mapWriteError(error);
    }
  }

  meta(key: string): string | undefined {
    return textIn(this.#one("SELECT value FROM meta WHERE key = ?", key)?.value);
  }

  setMeta(key: string, value: string): void {
    this.#run("INSERT OR REPLACE INTO meta VALUES (?, ?)", key, value);
  }

  deleteMeta(key: string): void {
    this.#run("DELETE FROM meta WHERE key = ?", key);
  }

  node(key: Bytes): Bytes | undefined {
    return bytesIn(this.#one("SELECT value FROM nodes WHERE key = ?", key)?.value);
  }

  putNodes(nodes: ReadonlyMap<string, Bytes>): void {
    const insert = this.#prepare("INSERT OR IGNORE INTO nodes VALUES (?, ?)");
    for (const [name, value] of nodes) insert.run(Buffer.from(name, "hex"), value);
  }

  head(): number | undefined {
    return numberIn(this.#one("SELECT max(number) AS head FROM blocks")?.head);
  }

  putBlock(number: number, stored: StoredBlock, { hash, transactions, nodes, sidecars }: BlockExtras): void {
    this.putNodes(nodes);
    this.#run("INSERT INTO blocks VALUES (?, ?, ?, ?, ?)", number, hash, stored.header, stored.body, stored.stateRoot);
    const insert = this.#prepare("INSERT INTO transactions VALUES (?, ?, ?)");
    for (const [position, tx] of transactions.entries()) insert.run(tx, number, position);
    for (const [position, { head, body }] of sidecars) {
      this.#run("INSERT INTO sidecars VALUES (?, ?, ?, ?)", number, position, head, body);
    }
    for (const tx of transactions) this.dropPooled(tx);
  }

  block(number: number): StoredBlock | undefined {
    const row = this.#one("SELECT header, body, state_root FROM blocks WHERE number = ?", number);
    if (row === undefined) return this.#empty.block(number);
    return { header: bytes(row.header), body: bytes(row.body), stateRoot: bytes(row.state_root) };
  }

  blooms(from: number, to: number): { number: number; bloom: Bytes }[] {
    const rows = this.#prepare(
      `SELECT number, substr(header, ${BLOOM_AT + 1}, 256) AS bloom FROM blocks WHERE number BETWEEN ? AND ? ORDER BY number`,
    ).all(from, to);
    return rows.map((row) => ({ number: integer(row.number), bloom: bytes(row.bloom) }));
  }

  numberOf(hash: Hash): number | undefined {
    const stored = numberIn(this.#one("SELECT number FROM blocks WHERE hash = ?", hash)?.number);
    return stored ?? this.#empty.numberOf(hash) ?? this.#findEmpty(hash);
  }

  #findEmpty(hash: Hash): number | undefined {
    if (!this.#hasHashes) return undefined;
    const rows = this.#prepare("SELECT entries FROM empty_hashes WHERE bucket = ?").all(bucketOf(hash));
    for (const { entries } of rows) {
      for (const number of possibleNumbers(bytes(entries), hash)) {
        const found = this.#empty.hashOf(number);
        if (found !== undefined && equalBytes(found, hash)) return number;
      }
    }
    return undefined;
  }

  hashOf(number: number): Hash | undefined {
    return bytesIn(this.#one("SELECT hash FROM blocks WHERE number = ?", number)?.hash) ?? this.#empty.hashOf(number);
  }

  setStateRoot(number: number, root: Bytes): void {
    this.#run("UPDATE blocks SET state_root = ? WHERE number = ?", root, number);
  }

  transactionLocation(transaction: Hash): { number: number; position: number } | undefined {
    const row = this.#one("SELECT number, position FROM transactions WHERE hash = ?", transaction);
    return row && { number: integer(row.number), position: integer(row.position) };
  }

  /** Sidecars without blobs, by transaction index. */
  sidecarHeads(number: number): { position: number; head: Bytes }[] {
    const rows = this.#prepare("SELECT position, head FROM sidecars WHERE number = ? ORDER BY position").all(number);
    return rows.map((row) => ({ position: integer(row.position), head: bytes(row.head) }));
  }

  /** Newest first. Blocks may change between two of them. */
  *allSidecarHeads(): Generator<{ number: number; position: number; head: Bytes }> {
    const below = this.#prepare(
      "SELECT number, position, head FROM sidecars WHERE (number, position) < (?, ?) ORDER BY number DESC, position DESC LIMIT 100",
    );
    let last = { number: Number.MAX_SAFE_INTEGER, position: 0 };
    for (;;) {
      const rows = below.all(last.number, last.position);
      for (const row of rows) {
        last = { number: integer(row.number), position: integer(row.position) };
        yield { ...last, head: bytes(row.head) };
      }
      if (rows.length === 0) return;
    }
  }

  sidecar(number: number, position: number): StoredSidecar | undefined {
    const row = this.#one("SELECT head, body FROM sidecars WHERE number = ? AND position = ?", number, position);
    return row && { head: bytes(row.head), body: bytes(row.body) };
  }

  putEmptyRuns(runs: readonly EmptyRun[]): void {
    this.#database.exec(EMPTY_RUNS);
    this.#hasRuns = true;
    const insert = this.#prepare("INSERT INTO empty_runs VALUES (?, ?, ?, ?, ?)");
    for (const { first, last, parent, seconds, stateRoot } of runs) insert.run(first, last, parent, seconds, stateRoot);
  }

  /** Entries of blocks that are not there do no harm. */
  putEmptyHashes(bucket: number, first: number, entries: Bytes): void {
    this.#database.exec(EMPTY_HASHES);
    this.#hasHashes = true;
    this.#run("INSERT OR REPLACE INTO empty_hashes VALUES (?, ?, ?)", bucket, first, entries);
  }

  areEmpty(from: number, to: number): boolean {
    return (this.#runOf(from)?.last ?? -1) >= to;
  }

  #runOf(number: number): EmptyRun | undefined {
    if (!this.#hasRuns) return undefined;
    const row = this.#one("SELECT * FROM empty_runs WHERE first <= ? ORDER BY first DESC LIMIT 1", number);
    if (row === undefined || integer(row.last) < number) return undefined;
    const { first, last, parent, seconds, state_root } = row;
    return {
      first: integer(first),
      last: integer(last),
      parent: bytes(parent),
      seconds: integer(seconds),
      stateRoot: bytes(state_root),
    };
  }

  /** The head is always stored, even within a run. */
  #cutRuns(number: number): void {
    if (!this.#hasRuns) return;
    const [stored, hash] = [this.#empty.block(number), this.#empty.hashOf(number)];
    this.#run("DELETE FROM empty_runs WHERE first >= ?", number);
    if (this.#hasHashes) this.#run("DELETE FROM empty_hashes WHERE first >= ?", number);
    this.#run("UPDATE empty_runs SET last = ? WHERE last >= ?", number - 1, number);
    this.#empty.forget();
    if (stored === undefined || hash === undefined) return;
    this.putBlock(number, stored, { hash, transactions: [], nodes: new Map(), sidecars: new Map() });
  }

  cut(number: number): void {
    this.#cutRuns(number);
    for (const table of ["transactions", "sidecars", "blocks"]) {
      this.#run(`DELETE FROM ${table} WHERE number > ?`, number);
    }
  }

  pooled(): PooledRow[] {
    const rows = this.#prepare("SELECT * FROM pool ORDER BY arrival").all();
    return rows.map(({ hash, arrival, sender, raw, head, body }) => ({
      hash: bytes(hash),
      arrival: integer(arrival),
      sender: bytes(sender),
      raw: bytes(raw),
      sidecar: head === null ? undefined : { head: bytes(head), body: bytes(body) },
    }));
  }

  putPooled({ hash, arrival, sender, raw, sidecar }: PooledRow): void {
    const { head = null, body = null } = sidecar ?? {};
    this.#run("INSERT OR REPLACE INTO pool VALUES (?, ?, ?, ?, ?, ?)", hash, arrival, sender, raw, head, body);
  }

  dropPooled(hash: Bytes): void {
    this.#run("DELETE FROM pool WHERE hash = ?", hash);
  }

  clearPooled(): void {
    this.#run("DELETE FROM pool");
  }

  close(): void {
    this.#statements.clear();
    this.#database.close();
  }

  #prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  #one(sql: string, ...parameters: (string | number | Bytes)[]): Record<string, SQLOutputValue> | undefined {
    return this.#prepare(sql).get(...parameters);
  }

  #run(sql: string, ...parameters: (string | number | Bytes | null)[]): void {
    try {
      this.#prepare(sql).run(...parameters);
    } catch (error) {
      throw mapWriteError(error);
    }
  }
}

type Column = SQLOutputValue | undefined;

/** Null and absent are undefined; any other type means a damaged file. */
const bytesIn = (value: Column) => (value instanceof Uint8Array ? value : absent(value));
const numberIn = (value: Column) => (typeof value === "number" ? value : absent(value));
const textIn = (value: Column) => (typeof value === "string" ? value : absent(value));
const bytes = (value: Column) => bytesIn(value) ?? missing();
const integer = (value: Column) => numberIn(value) ?? missing();

function absent(value: Column): undefined {
  if (value !== undefined && value !== null)
    throw new ChainError("store_corrupt", "a column has another type than its own");
  return undefined;
}

function missing(): never {
  throw new ChainError("store_corrupt", "a column that has to be filled is empty");
}

export function metaOf(directory: string, key: string): string | undefined {
  if (!hasChain(directory)) return undefined;
  const database = new ChainDatabase(directory);
  try {
    return database.meta(key);
  } catch (error) {
    throw mapDatabaseError(error, directory);
  } finally {
    database.close();
  }
}

/** Renamed into place with all tables, so an incomplete file never has the final name. */
function makeFile(directory: string): void {
  makeDirectory(directory);
  const file = chainFile(directory);
  const size = statSync(file, { throwIfNoEntry: false })?.size;
  if (size === 0) throw chainLost(directory, `${CHAIN_FILE} has no bytes`);
  if (size !== undefined) return;
  if (existsSync(`${file}-wal`))
    throw chainLost(directory, `${CHAIN_FILE} is missing, but its write-ahead log is there`);
  const fresh = `${file}.new`;
  rmSync(fresh, { force: true });
  const database = new DatabaseSync(fresh);
  database.exec("PRAGMA page_size = 4096;");
  create(database);
  database.close();
  renameSync(fresh, file);
}

function create(database: DatabaseSync): void {
  database.exec(`BEGIN; ${SCHEMA} INSERT INTO meta VALUES ('version', '${VERSION}'); COMMIT;`);
}

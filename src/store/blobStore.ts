import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { BLOB_SIZE } from "../chain/block/sidecar.ts";
import type { Bytes } from "../chain/encoding/bytes.ts";
import { toHex } from "../chain/encoding/hex.ts";
import { asChainError, ChainError } from "../chain/error.ts";
import { Turn } from "../std/async.ts";
import type { Database, Databases, Dialect } from "./engine/database.ts";
import { NO_FENCE } from "./engine/database.ts";
import { databasesAt } from "./engine/databases.ts";
import type { Migration } from "./schema/migrate.ts";
import { migrate } from "./schema/migrate.ts";

export interface KeptBlob {
  readonly name: Bytes;
  readonly data: Bytes;
  readonly commitment: Bytes;
  /** Null with cell proofs. */
  readonly proof: Bytes | null;
}

const blobs = ({ integer, bytes, text, clustered }: Dialect): string[] => [
  `CREATE TABLE meta (name ${text} PRIMARY KEY, value ${text} NOT NULL) ${clustered}`,
  `CREATE TABLE blob (name ${bytes} PRIMARY KEY, commitment ${bytes} NOT NULL, proof ${bytes}, data ${bytes} NOT NULL, kept ${integer} NOT NULL)`,
  "CREATE INDEX blob_kept ON blob (kept)",
];

export const BLOB_MIGRATIONS: readonly Migration[] = [{ statements: blobs }];

const REMOVE_BATCH_SIZE = 100;

/** Blobs have a fixed size, so a shorter row is compressed. Incompressible data is stored as is. */
function pack(data: Bytes): Bytes {
  const packed = zstdCompressSync(data);
  return data.length === BLOB_SIZE && packed.length < data.length ? packed : data;
}

function unpack(data: Bytes): Bytes {
  return data.length === BLOB_SIZE ? data : zstdDecompressSync(data);
}

/** Blobs by versioned hash, in a separate database that is never unwound. Created with the first blob. */
export class BlobStore {
  readonly #databases: Databases;
  #database: Promise<Database> | undefined;

  constructor(url: string) {
    this.#databases = databasesAt(url);
  }

  async read(names: readonly Bytes[]): Promise<(KeptBlob | undefined)[]> {
    if (await this.#isEmpty()) return names.map(() => undefined);
    const database = await this.#open();
    const sql = "SELECT name, commitment, proof, data FROM blob WHERE name IN ($keys)";
    const distinct = new Map(names.map((name) => [toHex(name), name]));
    const rows = await database.load<[Bytes, Bytes, Bytes | null, Bytes]>(sql, [...distinct.values()]);
    const found = new Map<string, KeptBlob>();
    for (const [name, commitment, proof, data] of rows) {
      // A key that is looked for twice in one statement may be found twice.
      if (!found.has(toHex(name))) found.set(toHex(name), { name, commitment, proof, data: unpack(data) });
    }
    return names.map((name) => found.get(toHex(name)));
  }

  async hasAll(names: readonly Bytes[]): Promise<boolean> {
    if (await this.#isEmpty()) return false;
    const database = await this.#open();
    const rows = await database.load("SELECT 1 FROM blob WHERE name IN ($keys)", names);
    return rows.length === new Set(names.map(toHex)).size;
  }

  async add(kept: readonly KeptBlob[], now = Date.now()): Promise<void> {
    const database = await this.#open();
    const at = Math.floor(now / 1000);
    const rows = new Map(
      kept.map(({ name, commitment, proof, data }) => [toHex(name), [name, commitment, proof, pack(data), at]]),
    );
    const columns = ["name", "commitment", "proof", "data", "kept"];
    await database.transaction(NO_FENCE, (writer) => writer.upsert("blob", columns, rows.values()));
  }

  /** In batches; then shrinks the file. */
  async removeBefore(time: number, signal: AbortSignal): Promise<void> {
    if (await this.#isEmpty()) return;
    const database = await this.#open();
    const turn = new Turn();
    const sql = `SELECT name FROM blob WHERE kept < ? LIMIT ${REMOVE_BATCH_SIZE}`;
    for (let names: [Bytes][] = []; !signal.aborted; ) {
      names = await database.all<[Bytes]>(sql, Math.floor(time / 1000));
      if (names.length === 0) break;
      await database.transaction(NO_FENCE, (writer) => writer.remove("blob", ["name"], names));
      await turn.yieldToEventLoop();
    }
    while (!signal.aborted && (await database.maintenance?.shrink())) await turn.yieldToEventLoop();
  }

  /** Block below which no obtainable blobs are missing; 0 if unknown. */
  async readCursor(): Promise<number> {
    if (await this.#isEmpty()) return 0;
    const [row] = await (await this.#open()).all<[string]>("SELECT value FROM meta WHERE name = 'complete_before'");
    return Number(row?.[0] ?? 0);
  }

  /** Ignored while there is no database. */
  async writeCursor(block: number): Promise<void> {
    if (await this.#isEmpty()) return;
    const database = await this.#open();
    await database.transaction(NO_FENCE, (writer) =>
      writer.upsert("meta", ["name", "value"], [["complete_before", String(block)]]),
    );
  }

  async size(): Promise<number> {
    if (await this.#isEmpty()) return 0;
    const [row] = await (await this.#open()).all<[number]>("SELECT coalesce(sum(length(data)), 0) FROM blob");
    return row?.[0] ?? 0;
  }

  async close(): Promise<void> {
    await (await this.#database?.catch(() => undefined))?.close();
  }

  async #isEmpty(): Promise<boolean> {
    return this.#database === undefined && !(await this.#databases.has("blobs"));
  }

  #open(): Promise<Database> {
    this.#database ??= this.#prepare().catch((error: unknown) => {
      this.#database = undefined;
      const { code, message } = asChainError(error);
      throw new ChainError(code, `${this.#databases.locate("blobs")} cannot be used: ${message}`, { cause: error });
    });
    return this.#database;
  }

  async #prepare(): Promise<Database> {
    const database = await this.#databases.open("blobs", { isShared: true, isShrinkable: true, cacheMegabytes: 4 });
    try {
      await migrate(database, BLOB_MIGRATIONS);
      return database;
    } catch (error) {
      await database.close();
      throw error;
    }
  }
}

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Bytes } from "../chain/encoding/bytes.ts";
import { toHex } from "../chain/encoding/hex.ts";
import { asChainError, ChainError } from "../chain/error.ts";
import type { Dialect, Engine } from "./engine/engine.ts";
import { SqliteEngine } from "./engine/sqlite.ts";
import type { Migration } from "./migrations/migrate.ts";
import { migrate } from "./migrations/migrate.ts";
import { makeDirectory } from "./store.ts";

/** A blob that was proven to be what its versioned hash names. */
export interface KeptBlob {
  readonly name: Bytes;
  readonly data: Bytes;
  readonly commitment: Bytes;
  /** Null where the cells were proven one by one. */
  readonly proof: Bytes | null;
}

const blobs = ({ bytes, clustered }: Dialect): string[] => [
  `CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) ${clustered}`,
  `CREATE TABLE blob (name ${bytes} PRIMARY KEY, commitment ${bytes} NOT NULL, proof ${bytes}, data ${bytes} NOT NULL)`,
];

const MIGRATIONS: readonly Migration[] = [{ statements: blobs }];

/**
 * Blobs by their versioned hashes, in a file of their own. What a hash names never changes, so whatever happens to the
 * index they stay. There is no file before there is a blob.
 */
export class BlobBook {
  readonly #path: string;
  #engine: Promise<Engine> | undefined;

  /** `path` may be `:memory:`, for tests and tools. */
  constructor(path: string) {
    this.#path = path;
  }

  /** The book of a data directory. */
  static in(directory: string): BlobBook {
    makeDirectory(directory);
    return new BlobBook(join(directory, "blobs.sqlite"));
  }

  /** The blobs of these names, undefined where one is not there. */
  async read(names: readonly Bytes[]): Promise<(KeptBlob | undefined)[]> {
    if (this.#isEmpty) return names.map(() => undefined);
    const engine = await this.#open();
    const found = new Map<string, KeptBlob>();
    for (const name of names) {
      const [row] = await engine.all("SELECT commitment, proof, data FROM blob WHERE name = ?", name);
      if (row === undefined) continue;
      const [commitment, proof, data] = row as [Bytes, Bytes | null, Bytes];
      found.set(toHex(name), { name, commitment, proof, data });
    }
    return names.map((name) => found.get(toHex(name)));
  }

  /** Whether all of these are there. */
  async hasAll(names: readonly Bytes[]): Promise<boolean> {
    if (this.#isEmpty) return false;
    const engine = await this.#open();
    const rows = await engine.load("SELECT hex(name) FROM blob WHERE name IN ($keys)", names);
    return rows.length === new Set(names.map(toHex)).size;
  }

  async add(kept: readonly KeptBlob[]): Promise<void> {
    const engine = await this.#open();
    const rows = new Map(
      kept.map(({ name, commitment, proof, data }) => [toHex(name), [name, commitment, proof, data]]),
    );
    await engine.transaction(() => engine.upsert("blob", ["name", "commitment", "proof", "data"], rows.values()));
  }

  async close(): Promise<void> {
    await (await this.#engine?.catch(() => undefined))?.close();
  }

  get #isEmpty(): boolean {
    return this.#engine === undefined && !existsSync(this.#path);
  }

  #open(): Promise<Engine> {
    this.#engine ??= this.#prepare().catch((error: unknown) => {
      this.#engine = undefined;
      const { code, message } = asChainError(error);
      throw new ChainError(code, `${this.#path} cannot be used: ${message}`, { cause: error });
    });
    return this.#engine;
  }

  async #prepare(): Promise<Engine> {
    const engine = new SqliteEngine({ path: this.#path, cacheMegabytes: 4 });
    try {
      await migrate(engine, MIGRATIONS);
      return engine;
    } catch (error) {
      await engine.close();
      throw error;
    }
  }
}

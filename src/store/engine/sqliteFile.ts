import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { backup, DatabaseSync } from "node:sqlite";
import { ChainError } from "../../chain/error.ts";
import type { WriteLock } from "./database.ts";
import { NEVER_LOST } from "./database.ts";
import { guard, translate } from "./sqliteError.ts";

/** An empty file was truncated: an incomplete one has no final name yet. */
export function expectBytes(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.size !== 0) return;
  throw new ChainError("store_corrupt", `${path} has no bytes; put a copy back, or delete it to begin again`);
}

/** Renamed into place once it is a valid database. Single process. */
export function makeDatabase(path: string): void {
  if (existsSync(path)) return;
  const fresh = `${path}.new`;
  // A leftover WAL of a deleted database would be applied to the new one.
  for (const file of [`${path}-wal`, `${path}-shm`, fresh]) rmSync(file, { force: true });
  guard(() => {
    const database = new DatabaseSync(fresh);
    database.exec("PRAGMA page_size = 8192; PRAGMA user_version = 1;");
    database.close();
  });
  renameSync(fresh, path);
}

/** Exclusive lock on a separate file, released by the system when the process ends. */
export class SqliteLock implements WriteLock {
  readonly token = undefined;
  readonly lost = NEVER_LOST;
  readonly #database: DatabaseSync;

  constructor(path: string) {
    this.#database = guard(() => new DatabaseSync(path, { timeout: 0 }));
    try {
      this.#database.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE;");
    } catch (error) {
      this.#database.close();
      const locked = translate(error);
      if (locked.code !== "store_locked") throw locked;
      throw new ChainError(
        "store_locked",
        `another oriel is running on ${path.replace(/\/[^/]*$/, "")}; stop it first`,
      );
    }
  }

  async check(): Promise<void> {
    if (!this.#database.isOpen) throw new ChainError("store_locked", "the lock of the index was released");
  }

  async release(): Promise<void> {
    if (this.#database.isOpen) this.#database.close();
  }
}

/** Renamed into place once it is on disk. Overwrites an interrupted copy. */
export async function copyDatabase(database: DatabaseSync, to: string): Promise<void> {
  const partial = `${to}.partial`;
  expectFree(to);
  removeDatabase(partial);
  try {
    await backup(database, partial, { rate: 1000 }).catch((error: unknown) => {
      throw translate(error);
    });
    sync(partial);
    expectFree(to);
    renameSync(partial, to);
    sync(dirname(to));
  } catch (error) {
    removeDatabase(partial);
    throw error;
  }
}

export function removeDatabase(path: string): void {
  for (const end of ["", "-journal", "-wal", "-shm", ".new"]) rmSync(`${path}${end}`, { force: true });
}

function expectFree(path: string): void {
  if (existsSync(path)) throw new ChainError("invalid_argument", `${path} is there already; backup overwrites nothing`);
}

function sync(path: string): void {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

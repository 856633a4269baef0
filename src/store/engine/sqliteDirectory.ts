import { accessSync, closeSync, constants, existsSync, openSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { ChainError } from "../../chain/error.ts";
import { makeDirectory } from "../../std/makeDirectory.ts";
import { messageOf } from "../../std/values.ts";
import type { Database, DatabaseName, Databases, Fence, OpenOptions, WriteLock } from "./database.ts";
import { NEVER_LOST, NO_FENCE } from "./database.ts";
import { SqliteDatabase } from "./sqlite.ts";
import { expectBytes, makeDatabase, removeDatabase, SqliteLock } from "./sqliteFile.ts";

/** Files in a directory, created with the first write. */
export class SqliteDirectory implements Databases {
  readonly cluster = undefined;
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  async lock(): Promise<WriteLock> {
    makeDataDirectory(this.#directory);
    const lock = join(this.#directory, "lock");
    expectWritable(this.#directory, lock);
    return new SqliteLock(lock);
  }

  fenceOf(): Fence {
    return NO_FENCE;
  }

  async has(name: DatabaseName): Promise<boolean> {
    return existsSync(this.locate(name));
  }

  async open(name: DatabaseName, options: OpenOptions = {}): Promise<Database> {
    const { readOnly = false, isShared = false, isShrinkable = false, cacheMegabytes } = options;
    const path = this.locate(name);
    if (!readOnly) makeDataDirectory(this.#directory);
    if (!isShared) {
      expectBytes(path);
      if (!readOnly) makeDatabase(path);
    }
    return new SqliteDatabase({
      path,
      readOnly,
      isShrinkable,
      hasCheckpointer: !readOnly && !isShared,
      ...(cacheMegabytes !== undefined && { cacheMegabytes }),
    });
  }

  async remove(name: DatabaseName): Promise<void> {
    removeDatabase(this.locate(name));
  }

  locate(name: DatabaseName): string {
    return join(this.#directory, `${name}.sqlite`);
  }
}

export class SqliteMemory implements Databases {
  readonly cluster = undefined;

  async lock(): Promise<WriteLock> {
    return { ...NO_FENCE, token: undefined, lost: NEVER_LOST, release: async () => {} };
  }

  fenceOf(): Fence {
    return NO_FENCE;
  }

  async has(): Promise<boolean> {
    return false;
  }

  async open(): Promise<Database> {
    return new SqliteDatabase({ path: ":memory:" });
  }

  async remove(): Promise<void> {}

  locate(): string {
    return "memory";
  }
}

function makeDataDirectory(directory: string): void {
  refuseAs(`the data directory ${directory} cannot be made`, () => makeDirectory(directory));
}

/** SQLite opens read-only files without an error and fails on the first write. */
function expectWritable(directory: string, lock: string): void {
  refuseAs(`the data directory ${directory} cannot be written`, () => {
    accessSync(directory, constants.W_OK);
    // Root may write anywhere. An existing lock file is not opened: closing it would release our locks.
    if (!existsSync(lock)) closeSync(openSync(lock, "a"));
  });
  for (const name of readdirSync(directory).filter((file) => /\.sqlite(-wal|-shm)?$/.test(file))) {
    const path = join(directory, name);
    refuseAs(`${path} cannot be written`, () => accessSync(path, constants.W_OK));
  }
}

function refuseAs(what: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    throw new ChainError("invalid_argument", `${what}: ${messageOf(error)}`, { cause: error });
  }
}

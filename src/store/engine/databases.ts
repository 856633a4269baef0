import { ChainError } from "../../chain/error.ts";
import type { Databases } from "./database.ts";
import { SqliteDirectory, SqliteMemory } from "./sqliteDirectory.ts";

export const IN_MEMORY = "sqlite::memory:";

/** Selects the engine by URL: a directory or `sqlite:directory`. */
export function databasesAt(url: string): Databases {
  if (url === IN_MEMORY) return new SqliteMemory();
  if (url.startsWith("sqlite:")) return new SqliteDirectory(url.slice("sqlite:".length));
  const scheme = /^(\w+):\/\//.exec(url)?.[1];
  if (scheme === undefined) return new SqliteDirectory(url);
  throw new ChainError("invalid_argument", `no database engine is known for ${scheme}://; use a directory`);
}

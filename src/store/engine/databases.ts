import { ChainError } from "../../chain/error.ts";
import type { Databases } from "./database.ts";
import { PostgresServer } from "./postgres/postgresServer.ts";
import { SqliteDirectory, SqliteMemory } from "./sqliteDirectory.ts";

export const IN_MEMORY = "sqlite::memory:";

/** Selects the engine by URL: a directory, `sqlite:directory` or `postgres://…`. */
export function databasesAt(url: string): Databases {
  if (url === IN_MEMORY) return new SqliteMemory();
  if (url.startsWith("sqlite:")) return new SqliteDirectory(url.slice("sqlite:".length));
  if (/^postgres(ql)?:/.test(url)) return new PostgresServer(url);
  const scheme = /^(\w+):\/\//.exec(url)?.[1];
  if (scheme === undefined) return new SqliteDirectory(url);
  throw new ChainError(
    "invalid_argument",
    `no database engine is known for ${scheme}://; use a directory or a postgres:// URL`,
  );
}

/** A database URL without its credentials, for people. */
export function describeUrl(url: string): string {
  return url.replace(/^(postgres(?:ql)?:\/\/)[^/]*@/, "$1");
}

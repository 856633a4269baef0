import { createHash } from "node:crypto";
import { describe } from "node:test";
import type { Database } from "../../src/store/engine/database.ts";
import { databasesAt, IN_MEMORY } from "../../src/store/engine/databases.ts";
import { emptyStore, postgresUrl } from "./postgresServer.ts";

/** A database engine that the tests of the store run on. */
export interface TestedEngine {
  readonly name: string;
  /** The URL of an empty store. */
  readonly memory: string;
  /** The URL of a store that belongs to a directory. */
  readonly at: (directory: string) => string;
  /** An empty database. */
  readonly open: () => Promise<Database>;
  /** SQL with bytes as SQLite writes them: `x'00'` of type BLOB. */
  readonly sql: (text: string) => string;
}

const sqlite: TestedEngine = {
  name: "SQLite",
  memory: IN_MEMORY,
  at: (directory) => `sqlite:${directory}`,
  open: () => databasesAt(IN_MEMORY).open("index"),
  sql: (text) => text,
};

/** Starts a server unless the environment names one. */
async function postgres(): Promise<TestedEngine> {
  const server = await postgresUrl();
  return {
    name: "PostgreSQL",
    get memory() {
      return emptyStore(server);
    },
    at: (directory) => `${server}?schema=d${createHash("sha256").update(directory).digest("hex").slice(0, 16)}`,
    open: () => databasesAt(emptyStore(server)).open("index"),
    sql: (text) => text.replaceAll(/\bx'([0-9a-f]*)'/g, "'\\x$1'::bytea").replaceAll("AS BLOB", "AS bytea"),
  };
}

/** Defines the same tests for every engine. */
export async function describeEveryEngine(define: (database: TestedEngine) => void): Promise<void> {
  for (const database of [sqlite, await postgres()]) describe(`on ${database.name}`, () => define(database));
}

/** The engines that random tests of tables run on: ORIEL_TEST_ENGINES=all takes minutes longer. */
const ENGINES = process.env.ORIEL_TEST_ENGINES === "all" ? [sqlite, await postgres()] : [sqlite];

/** Defines the same tests for SQLite, and for PostgreSQL if the environment asks for it. */
export function describeEngines(define: (database: TestedEngine) => void): void {
  for (const database of ENGINES) describe(`on ${database.name}`, () => define(database));
}

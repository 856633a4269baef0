import { describe } from "node:test";
import type { Database } from "../../src/store/engine/database.ts";
import { databasesAt, IN_MEMORY } from "../../src/store/engine/databases.ts";

/** A database engine that the tests of the store run on. */
export interface TestedEngine {
  readonly name: string;
  readonly memory: string;
  readonly at: (directory: string) => string;
  readonly open: () => Promise<Database>;
}

const ENGINES: readonly TestedEngine[] = [
  {
    name: "SQLite",
    memory: IN_MEMORY,
    at: (directory) => `sqlite:${directory}`,
    open: () => databasesAt(IN_MEMORY).open("index"),
  },
];

/** Defines the same tests for every engine. */
export function describeEngines(define: (database: TestedEngine) => void): void {
  for (const database of ENGINES) describe(`on ${database.name}`, () => define(database));
}

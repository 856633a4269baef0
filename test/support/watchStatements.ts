import type { ReadDatabase, Reader, Row } from "../../src/store/engine/database.ts";

/** A statement that read, and its rows. */
export interface Statement {
  readonly sql: string;
  readonly rows: readonly Row[];
}

/** Reports every statement that reads a database or a snapshot of it, until the answer is called. */
export function watchStatements(database: ReadDatabase, onStatement: (statement: Statement) => void): () => void {
  const unwatch = watchReader(database, onStatement);
  const snapshot = database.snapshot.bind(database);
  database.snapshot = (work) =>
    snapshot((taken) => {
      watchReader(taken, onStatement);
      return work(taken);
    });
  return () => {
    unwatch();
    Reflect.deleteProperty(database, "snapshot");
  };
}

const READS = ["all", "load", "loadPairs"] as const;

function watchReader(reader: Reader, onStatement: (statement: Statement) => void): () => void {
  for (const name of READS) {
    const run = (reader[name] as (...query: unknown[]) => Promise<Row[]>).bind(reader);
    Object.assign(reader, {
      [name]: async (sql: string, ...rest: unknown[]) => {
        const rows = await run(sql, ...rest);
        onStatement({ sql, rows });
        return rows;
      },
    });
  }
  return () => {
    for (const name of READS) Reflect.deleteProperty(reader, name);
  };
}

import type { Database, Row, Value } from "../../src/store/engine/database.ts";

/** What a piece of work read from the database. */
export interface Reads {
  readonly bytes: number;
  /** Bytes of the longest value. */
  readonly longest: number;
}

/** Counts the bytes that come out of a database from now on. */
export function meterReads(database: Database): <T>(work: () => Promise<T>) => Promise<[T, Reads]> {
  let [bytes, longest] = [0, 0];
  const sizeOf = (value: Value) => (typeof value === "string" || value instanceof Uint8Array ? value.length : 8);
  const count = (rows: Row[]) => {
    for (const value of rows.flat()) {
      bytes += sizeOf(value);
      longest = Math.max(longest, sizeOf(value));
    }
    return rows;
  };
  const { all, load, loadPairs } = database;
  Object.assign(database, {
    all: async (...query: Parameters<Database["all"]>) => count(await all.apply(database, query)),
    load: async (...query: Parameters<Database["load"]>) => count(await load.apply(database, query)),
    loadPairs: async (...query: Parameters<Database["loadPairs"]>) => count(await loadPairs.apply(database, query)),
  });
  return async (work) => {
    [bytes, longest] = [0, 0];
    return [await work(), { bytes, longest }];
  };
}

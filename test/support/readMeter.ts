import type { ReadDatabase, Row, Value } from "../../src/store/engine/database.ts";
import { watchStatements } from "./watchStatements.ts";

export interface Reads {
  readonly bytes: number;
  /** Bytes of the longest value. */
  readonly longest: number;
}

/** Counts the bytes that come out of a database from now on. */
export function meterReads(database: ReadDatabase): <T>(work: () => Promise<T>) => Promise<[T, Reads]> {
  let [bytes, longest] = [0, 0];
  const sizeOf = (value: Value) => (typeof value === "string" || value instanceof Uint8Array ? value.length : 8);
  const count = (rows: readonly Row[]) => {
    for (const value of rows.flat()) {
      bytes += sizeOf(value);
      longest = Math.max(longest, sizeOf(value));
    }
  };
  watchStatements(database, ({ rows }) => count(rows));
  return async (work) => {
    [bytes, longest] = [0, 0];
    return [await work(), { bytes, longest }];
  };
}

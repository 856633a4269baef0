import type { Engine, Row, Value } from "../../src/store/engine/engine.ts";

/** What a piece of work read from the database. */
export interface Reads {
  readonly bytes: number;
  /** Bytes of the longest value. */
  readonly longest: number;
}

/** Counts the bytes that come out of an engine from now on. */
export function meterReads(engine: Engine): <T>(work: () => Promise<T>) => Promise<[T, Reads]> {
  let [bytes, longest] = [0, 0];
  const sizeOf = (value: Value) => (typeof value === "string" || value instanceof Uint8Array ? value.length : 8);
  const count = (rows: Row[]) => {
    for (const value of rows.flat()) {
      bytes += sizeOf(value);
      longest = Math.max(longest, sizeOf(value));
    }
    return rows;
  };
  const { all, load, loadPairs } = engine;
  Object.assign(engine, {
    all: async (...query: Parameters<Engine["all"]>) => count(await all.apply(engine, query)),
    load: async (...query: Parameters<Engine["load"]>) => count(await load.apply(engine, query)),
    loadPairs: async (...query: Parameters<Engine["loadPairs"]>) => count(await loadPairs.apply(engine, query)),
  });
  return async (work) => {
    [bytes, longest] = [0, 0];
    return [await work(), { bytes, longest }];
  };
}

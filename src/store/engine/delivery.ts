import type { Row, Snapshot } from "./database.ts";

/** Runs statements at once, but hands their rows over only when something else is done. */
export function deliverAfter(snapshot: Snapshot, done: Promise<unknown>): Snapshot {
  const deliver = async <R extends Row>(rows: Promise<R[]>): Promise<R[]> => (await Promise.all([rows, done]))[0];
  return {
    dialect: snapshot.dialect,
    version: snapshot.version,
    snapshotCache: (name) => snapshot.snapshotCache(name),
    all: (...query) => deliver(snapshot.all(...query)),
    load: (...query) => deliver(snapshot.load(...query)),
    loadPairs: (...query) => deliver(snapshot.loadPairs(...query)),
  };
}

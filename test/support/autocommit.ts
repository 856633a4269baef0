import type { Database, ReadDatabase, Writer } from "../../src/store/engine/database.ts";
import { NO_FENCE } from "../../src/store/engine/database.ts";

export function autocommit(database: ReadDatabase): Writer {
  const commit = (work: (writer: Writer) => Promise<void>) => transact(database, work);
  return {
    dialect: database.dialect,
    all: (...query) => database.all(...query),
    load: (...query) => database.load(...query),
    loadPairs: (...query) => database.loadPairs(...query),
    snapshotCache: (name) => database.snapshotCache(name),
    tables: () => database.tables(),
    run: (...statement) => commit((writer) => writer.run(...statement)),
    insert: (...rows) => commit((writer) => writer.insert(...rows)),
    update: (...rows) => commit((writer) => writer.update(...rows)),
    upsert: (...rows) => commit((writer) => writer.upsert(...rows)),
    remove: (...keys) => commit((writer) => writer.remove(...keys)),
  };
}

export function transact<T>(database: ReadDatabase, work: (writer: Writer) => Promise<T>): Promise<T> {
  return (database as Database).transaction(NO_FENCE, work);
}

import type { Connection, Engine, Snapshot } from "../engine/engine.ts";
import { FlatCache } from "./flatCache.ts";

const SIZES = { address: 20, signature: 32 } as const;

export type CachedDictionary = keyof typeof SIZES;

const NAMES = Object.keys(SIZES) as CachedDictionary[];

const UNWINDS = "SELECT value FROM meta WHERE name = 'unwinds'";
const COUNT_UNWIND =
  "INSERT INTO meta (name, value) VALUES ('unwinds', '1') ON CONFLICT (name) DO UPDATE SET value = CAST(CAST(meta.value AS INTEGER) + 1 AS TEXT)";

/** Tells readers that ids may have been given to other values. */
export function countUnwind(engine: Engine): Promise<void> {
  return engine.run(COUNT_UNWIND);
}

/** The values of a dictionary that are known of this state of the database. */
export function valuesOf(connection: Connection, name: CachedDictionary): FlatCache {
  const caches = cachesOf(connection, name);
  const known = caches.get("one");
  if (known !== undefined) return known;
  const cache = new FlatCache(SIZES[name]);
  caches.set("one", cache);
  return cache;
}

const cachesOf = (connection: Connection, name: CachedDictionary) =>
  connection.snapshotCache<"one", FlatCache>(`${name} values`);

/** Keeps the values of dictionaries from one state of the database to the next: new blocks add to them. */
export class DictionaryCache {
  #unwinds: string | undefined;
  readonly #caches = new Map<CachedDictionary, FlatCache>();

  /** Goes before all other reads of a snapshot. */
  async bringInto(snapshot: Snapshot): Promise<void> {
    if (cachesOf(snapshot, NAMES[0]!).get("one") !== undefined) return;
    const [row] = await snapshot.all<[string]>(UNWINDS);
    const unwinds = row?.[0];
    if (unwinds !== this.#unwinds) this.#caches.clear();
    this.#unwinds = unwinds;
    for (const name of NAMES) {
      const kept = this.#caches.get(name);
      if (kept !== undefined) cachesOf(snapshot, name).set("one", kept);
      else this.#caches.set(name, valuesOf(snapshot, name));
    }
  }
}

import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { Reader, Snapshot } from "../engine/database.ts";
import { FlatCache } from "./flatCache.ts";

/** Bytes of a value. */
export const VALUE_SIZES = { address: 20, signature: 32 } as const;

export type CachedDictionary = keyof typeof VALUE_SIZES;

const NAMES = Object.keys(VALUE_SIZES) as CachedDictionary[];

/** The values of a dictionary that were read of this state of the database, or of one that it goes on from. */
export function valuesOf(db: Reader, name: CachedDictionary): FlatCache {
  const caches = cachesOf(db, name);
  const known = caches.get("one");
  if (known !== undefined) return known;
  const cache = new FlatCache(VALUE_SIZES[name]);
  caches.set("one", cache);
  return cache;
}

const cachesOf = (db: Reader, name: CachedDictionary) => db.snapshotCache<"one", FlatCache>(`${name} values`);

const TIP = "SELECT number, digest FROM block ORDER BY number DESC LIMIT 1";
const HAS = "SELECT 1 FROM block WHERE number = ? AND digest = ?";

/**
 * Keeps the values of dictionaries from one state of the database to the next. Ids follow from the chain, and the digest of a
 * block is one of all values up to it: while the block that was the tip has its digest, no id was given to another value.
 */
export class DictionaryCache {
  #tip: readonly [number: number, digest: Bytes] | undefined;
  #caches = new Map<CachedDictionary, FlatCache>();

  /** Goes before all other reads of a snapshot. */
  async bringInto(snapshot: Snapshot): Promise<void> {
    if (cachesOf(snapshot, NAMES[0]!).get("one") !== undefined) return;
    if (!(await this.#isOn(snapshot))) this.#caches = new Map();
    [this.#tip] = await snapshot.all<[number, Bytes]>(TIP);
    for (const name of NAMES) {
      const kept = this.#caches.get(name);
      if (kept !== undefined) cachesOf(snapshot, name).set("one", kept);
      else this.#caches.set(name, valuesOf(snapshot, name));
    }
  }

  /** Whether the chain still has what was the tip. */
  async #isOn(snapshot: Snapshot): Promise<boolean> {
    return this.#tip !== undefined && (await snapshot.all(HAS, ...this.#tip)).length > 0;
  }
}

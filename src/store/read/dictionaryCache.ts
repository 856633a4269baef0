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

/** The values of dictionaries on the branch that ends in a block. */
interface Branch {
  readonly tip: readonly [number: number, digest: Bytes] | undefined;
  readonly caches: ReadonlyMap<CachedDictionary, FlatCache>;
}

const emptyBranch = (): Branch => ({
  tip: undefined,
  caches: new Map(NAMES.map((name) => [name, new FlatCache(VALUE_SIZES[name])])),
});

/**
 * Carries the values of dictionaries over from one state of the database to the next. Ids follow from the chain, and the
 * digest of a block covers all values up to it: a snapshot that has the block a branch ends in goes on with its values,
 * and extends it to the snapshot's own tip. All snapshots that share values are therefore on one branch.
 */
export class DictionaryCache {
  #branch = emptyBranch();

  /** Goes before all other reads of a snapshot. Snapshots may run at the same time. */
  async attach(snapshot: Snapshot): Promise<void> {
    const attached = cachesOf(snapshot, NAMES[0]!);
    while (attached.get("one") === undefined) {
      const branch = this.#branch;
      const [[tip], isOn] = await Promise.all([
        snapshot.all<[number, Bytes]>(TIP),
        branch.tip === undefined ? false : snapshot.all(HAS, ...branch.tip).then(({ length }) => length > 0),
      ]);
      // Another snapshot has extended or left the branch meanwhile.
      if (branch !== this.#branch) continue;
      const { caches } = isOn ? branch : emptyBranch();
      this.#branch = { tip, caches };
      for (const [name, cache] of caches) cachesOf(snapshot, name).set("one", cache);
    }
  }
}

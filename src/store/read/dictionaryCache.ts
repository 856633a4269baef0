import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { LruCache } from "../../std/maps.ts";
import type { Reader, Snapshot } from "../engine/database.ts";
import { FlatCache } from "./flatCache.ts";

export const VALUE_SIZES = { address: 20, signature: 32 } as const;

export type CachedDictionary = keyof typeof VALUE_SIZES;

const NAMES = Object.keys(VALUE_SIZES) as CachedDictionary[];

/** Values cached for this state or an ancestor of it. */
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

/** Dictionary values of the branch that ends in a block. */
interface Branch {
  readonly tip: readonly [number: number, digest: Bytes] | undefined;
  readonly caches: ReadonlyMap<CachedDictionary, FlatCache>;
}

const emptyBranch = (): Branch => ({
  tip: undefined,
  caches: new Map(NAMES.map((name) => [name, new FlatCache(VALUE_SIZES[name])])),
});

/**
 * Carries dictionary values across states. Ids follow from the chain, and a block's digest covers all values up to it:
 * a snapshot that contains the block a branch ends in inherits its values and extends it to its own tip. So all
 * snapshots that share values are on one branch.
 */
export class DictionaryCache {
  #branch = emptyBranch();

  /**
   * Goes before the rows of all other reads of a snapshot; undefined where one of the same state was attached. Snapshots may
   * run at the same time.
   */
  attach(snapshot: Snapshot): Promise<void> | undefined {
    const attached = cachesOf(snapshot, NAMES[0]!);
    return attached.get("one") === undefined ? this.#attach(snapshot, attached) : undefined;
  }

  async #attach(snapshot: Snapshot, attached: LruCache<"one", FlatCache>): Promise<void> {
    while (attached.get("one") === undefined) {
      const branch = this.#branch;
      const [[tip], isOn] = await Promise.all([
        snapshot.all<[number, Bytes]>(TIP),
        branch.tip === undefined ? false : snapshot.all(HAS, ...branch.tip).then(({ length }) => length > 0),
      ]);
      // Another snapshot extended or replaced the branch meanwhile.
      if (branch !== this.#branch) continue;
      const { caches } = isOn ? branch : emptyBranch();
      this.#branch = { tip, caches };
      for (const [name, cache] of caches) cachesOf(snapshot, name).set("one", cache);
    }
  }
}

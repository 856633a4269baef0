import { equalBytes } from "../../chain/bytes.ts";
import type { Store } from "../../store/store.ts";
import type { Reach } from "./reach.ts";
import { readReach } from "./reach.ts";

/** Works something out once for each tip of the index. The digest of a tip stands for all that is indexed up to it. */
export function perTip<T>(store: Store, work: (reach: Reach | undefined) => Promise<T>): () => Promise<T> {
  let known: { readonly reach: Reach | undefined; readonly value: T } | undefined;
  return () =>
    store.read(async () => {
      const reach = await readReach(store);
      if (known === undefined || !isSame(known.reach, reach)) known = { reach, value: await work(reach) };
      return known.value;
    });
}

function isSame(a: Reach | undefined, b: Reach | undefined): boolean {
  return a === undefined || b === undefined ? a === b : equalBytes(a.tip.digest, b.tip.digest);
}

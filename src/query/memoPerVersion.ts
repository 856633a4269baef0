import type { Store } from "../store/store.ts";
import type { Reach } from "./indexedRange.ts";
import { readReach } from "./indexedRange.ts";

/** Works something out once for each state of the index. */
export function perState<T>(store: Store, work: (reach: Reach | undefined) => Promise<T>): () => Promise<T> {
  let known: { readonly version: number; readonly value: T } | undefined;
  return () =>
    store.read(async () => {
      const version = await store.version();
      if (known?.version !== version) known = { version, value: await work(await readReach(store)) };
      return known.value;
    });
}

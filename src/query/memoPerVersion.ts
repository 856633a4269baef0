import type { ReadSession } from "../store/session.ts";
import type { StoreReader } from "../store/storeReader.ts";
import type { IndexedRange } from "./indexedRange.ts";
import { readIndexedRange } from "./indexedRange.ts";

/** Computes a value once per index version. */
export function memoPerVersion<T>(
  store: StoreReader,
  work: (session: ReadSession, range: IndexedRange | undefined) => Promise<T>,
): () => Promise<T> {
  let known: { readonly version: number; readonly value: T } | undefined;
  return () =>
    store.read(async (session) => {
      const { version } = session;
      if (known?.version !== version) known = { version, value: await work(session, await readIndexedRange(session)) };
      return known.value;
    });
}

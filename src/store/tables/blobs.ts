import type { Transaction } from "../../chain/block/transaction.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { prefixOf } from "../dictionary/dictionary.ts";

/** The first byte of a versioned hash is its version, and the same for all. */
export const blobKey = (versionedHash: Bytes): number => prefixOf(versionedHash.subarray(1));

/** The keys of the blobs that a transaction names, each once: it may name one of them twice. */
export function blobKeys({ blobVersionedHashes }: Transaction): ReadonlySet<number> {
  return blobVersionedHashes === undefined ? NONE : new Set(blobVersionedHashes.map(blobKey));
}

const NONE: ReadonlySet<number> = new Set();

import type { Transaction } from "../../chain/block/transaction.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { prefixOf } from "../dictionary/dictionary.ts";

/** Skips the version byte, which is always the same. */
export const blobKey = (versionedHash: Bytes): number => prefixOf(versionedHash.subarray(1));

/** Distinct: a transaction may name a blob twice. */
export function blobKeys({ blobVersionedHashes }: Transaction): ReadonlySet<number> {
  return blobVersionedHashes === undefined ? NONE : new Set(blobVersionedHashes.map(blobKey));
}

const NONE: ReadonlySet<number> = new Set();

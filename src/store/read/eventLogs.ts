import type { AddressBytes, Bytes } from "../../chain/encoding/bytes.ts";
import { findId } from "../dictionary/findValues.ts";
import type { Position } from "../rows/position.ts";
import { addressLogs, signatureCounts } from "../tables/logLists.ts";
import type { CoreReads } from "./coreReads.ts";
import { TaggedList } from "./taggedList.ts";

export interface EventLogs {
  readonly total: number;
  /** Newest first. */
  readonly positions: readonly Position[];
}

const NONE: EventLogs = { total: 0, positions: [] };

/** Logs of an emitter with one of these signatures, as one list: `count` of them after the newest `skipped`. */
export async function readEventLogs(
  { db, addresses, addressHasher }: CoreReads,
  emitter: AddressBytes,
  signatures: readonly Bytes[],
  { skipped, count }: { readonly skipped: number; readonly count: number },
): Promise<EventLogs> {
  const [owner, ...found] = await Promise.all([
    addresses.id(emitter),
    ...signatures.map((signature) => findId(db, "signature", addressHasher, signature)),
  ]);
  const tags = found.filter((tag) => tag !== undefined);
  if (owner === undefined || tags.length === 0) return NONE;
  const list = addressLogs(db);
  const tagged = new TaggedList(db, { list, counts: signatureCounts }, { owner, tags });
  const total = await tagged.rankOf(await list.count(owner));
  const end = Math.max(total - skipped, 0);
  const start = Math.max(end - count, 0);
  return { total, positions: (await tagged.slice(start, end - start)).reverse() };
}

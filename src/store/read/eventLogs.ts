import type { AddressBytes, Bytes } from "../../chain/encoding/bytes.ts";
import { Turn } from "../../std/async.ts";
import { findId } from "../dictionary/findValues.ts";
import type { Position } from "../rows/position.ts";
import { firstPosition } from "../rows/position.ts";
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

interface EventPart {
  readonly from: number;
  readonly to: number;
  readonly isDescending: boolean;
  readonly count: number;
}

/** Of each emitter's logs with one of these signatures in blocks [from, to], the first or the last `count`. */
export async function readEventParts(
  { db, addresses, addressHasher }: CoreReads,
  emitters: readonly AddressBytes[],
  signatures: readonly Bytes[],
  { from, to, isDescending, count }: EventPart,
): Promise<Position[][]> {
  const [ids, found] = await Promise.all([
    addresses.ids(emitters),
    Promise.all(signatures.map((signature) => findId(db, "signature", addressHasher, signature))),
  ]);
  const [list, tags] = [addressLogs(db), found.filter((tag) => tag !== undefined)];
  const read = async (owner: number) => {
    const [first = 0, after = 0] = await list.of(owner).ordinalsOf([firstPosition(from), firstPosition(to + 1)]);
    const tagged = new TaggedList(db, { list, counts: signatureCounts }, { owner, tags });
    const [start, end] = await Promise.all([tagged.rankOf(first), tagged.rankOf(after)]);
    const taken = Math.min(count, end - start);
    return tagged.slice(isDescending ? end - taken : start, taken);
  };
  return tags.length === 0 ? [] : Promise.all([...new Set(ids.values())].map(read));
}

interface BlockSpan {
  readonly from: number;
  readonly to: number;
  /** Listed logs to look at. */
  readonly limit: number;
}

/** Logs of an emitter with one of these signatures in some blocks, in chain order; undefined beyond the limit. */
export async function readLogsInBlocks(
  { db, addresses, addressHasher }: CoreReads,
  emitter: AddressBytes,
  signatures: readonly Bytes[],
  { blocks, limit }: { readonly blocks: ReadonlySet<number>; readonly limit: number },
): Promise<Position[] | undefined> {
  const [owner, ...tags] = await Promise.all([
    addresses.id(emitter),
    ...signatures.map((signature) => findId(db, "signature", addressHasher, signature)),
  ]);
  if (owner === undefined || blocks.size === 0) return [];
  const [list, wanted] = [addressLogs(db), new Set(tags)];
  const ends = [...blocks]
    .sort((one, other) => one - other)
    .map((block) => [firstPosition(block), firstPosition(block + 1)]);
  const ordinals = await list.of(owner).ordinalsOf(ends.flat());
  const ranges = ends.map((_, at) => [ordinals[2 * at]!, ordinals[2 * at + 1]!] as const);
  if (ranges.reduce((sum, [from, to]) => sum + to - from, 0) > limit) return undefined;
  const slices = await Promise.all(ranges.map(([from, to]) => list.slice(owner, from, to)));
  return slices.flat().flatMap(({ position, tag }) => (wanted.has(tag) ? [position] : []));
}

const EMITTER_BATCH_SIZE = 100;

/** Logs of emitters with one of these signatures in blocks [from, to], in chain order; undefined beyond the limit. */
export async function readSpanLogs(
  { db, addresses, addressHasher }: CoreReads,
  emitters: readonly AddressBytes[],
  signatures: readonly Bytes[],
  { from, to, limit }: BlockSpan,
): Promise<Position[] | undefined> {
  const [ids, tags] = await Promise.all([
    addresses.ids(emitters),
    Promise.all(signatures.map((signature) => findId(db, "signature", addressHasher, signature))),
  ]);
  const [list, owners, wanted] = [addressLogs(db), [...new Set(ids.values())], new Set(tags)];
  const found: Position[] = [];
  const turn = new Turn();
  let left = limit;
  for (let at = 0; at < owners.length; at += EMITTER_BATCH_SIZE) {
    const some = owners.slice(at, at + EMITTER_BATCH_SIZE);
    const bounds = await Promise.all(
      some.map((owner) => list.of(owner).ordinalsOf([firstPosition(from), firstPosition(to + 1)])),
    );
    left -= bounds.reduce((sum, [start = 0, end = 0]) => sum + end - start, 0);
    if (left < 0) return undefined;
    const slices = await Promise.all(
      some.map((owner, index) => list.slice(owner, bounds[index]?.[0] ?? 0, bounds[index]?.[1] ?? 0)),
    );
    for (const { position, tag } of slices.flat()) if (wanted.has(tag)) found.push(position);
    await turn.yieldToEventLoop();
  }
  return found.sort((one, other) => one - other);
}

import type { Bytes } from "../../chain/encoding/bytes.ts";
import { findId } from "../dictionary/findValues.ts";
import type { StoredTopic } from "../rows/logBody.ts";
import { firstPosition } from "../rows/position.ts";
import type { SearchableList } from "../tables/list.ts";
import { addressLogs, signatureCounts, signatureLogs } from "../tables/logLists.ts";
import type { CoreReads } from "./coreReads.ts";
import type { LogMatch } from "./logRows.ts";
import { TaggedList } from "./taggedList.ts";

export interface LogCriteria {
  readonly address: Bytes | undefined;
  readonly topics: readonly (Bytes | undefined)[];
  /** `topics` has a bit per matching topic. */
  accepts(topics: number): boolean;
  readonly from: number;
  readonly to: number;
}

/** Logs from a list that may match, oldest first. */
export interface Candidates {
  readonly total: number;
  /** Whether all of them match. */
  readonly areExact: boolean;
  positions(session: CoreReads, skipped: number, count: number): Promise<number[]>;
}

interface LogPlan {
  readonly match: LogMatch;
  /** Undefined: scans whole blocks. */
  readonly candidates: Candidates | undefined;
}

const ALL_TOPICS = 0b1111;

/** Undefined if the index does not know the address or signature, so nothing matches. */
export async function planLogSearch(session: CoreReads, criteria: LogCriteria): Promise<LogPlan | undefined> {
  const { address, topics } = criteria;
  const [emitter, signature, stored] = await Promise.all([
    address && session.addresses.id(address),
    topics[0] && findSignature(session, topics[0]),
    Promise.all(topics.map((topic, number) => (number === 0 ? undefined : storedTopic(session, topic)))),
  ]);
  const needsSignature = topics[0] !== undefined && !criteria.accepts(ALL_TOPICS & ~1);
  if ((address !== undefined && emitter === undefined) || (needsSignature && signature === undefined)) return undefined;
  const match: LogMatch = {
    emitter,
    signature,
    topics: stored,
    accepts: (found) => criteria.accepts(found),
  };
  const owners = { emitter, signature: needsSignature ? signature : undefined };
  const candidates = await findCandidates(session, owners, criteria);
  return { match, candidates };
}

async function findCandidates(
  session: CoreReads,
  { emitter, signature }: { emitter: number | undefined; signature: number | undefined },
  { topics, from, to }: LogCriteria,
): Promise<Candidates | undefined> {
  const owner = emitter ?? signature;
  if (owner === undefined) return undefined;
  const listIn = ({ db }: CoreReads) => (emitter === undefined ? signatureLogs(db) : addressLogs(db));
  const { start, end } = await ordinalsOf(session, listIn(session).of(owner), from, to);
  const others = topics.filter((topic, number) => topic !== undefined && (number > 0 || signature === undefined));
  const areExact = others.length === 0;
  if (emitter === undefined || signature === undefined) {
    return {
      total: end - start,
      areExact,
      positions: async (reads, skipped, count) => {
        const first = start + skipped;
        const entries = await listIn(reads).slice(owner, first, Math.min(first + count, end));
        return entries.map(({ position }) => position);
      },
    };
  }
  const taggedIn = (reads: CoreReads) =>
    new TaggedList(reads.db, { list: listIn(reads), counts: signatureCounts }, { owner, tags: [signature] });
  const tagged = taggedIn(session);
  const [first, last] = await Promise.all([tagged.rankOf(start), tagged.rankOf(end)]);
  return {
    total: last - first,
    areExact,
    positions: (reads, skipped, count) => taggedIn(reads).slice(first + skipped, count, firstPosition(to + 1)),
  };
}

/** Ordinals of a block range; the full range needs no search. */
async function ordinalsOf({ blocks }: CoreReads, list: SearchableList, from: number, to: number) {
  const [first, tip] = await Promise.all([blocks.first(), blocks.tip()]);
  if (from === first?.header.number && to === tip?.number) return { start: 0, end: await list.count() };
  const [start = 0, end = 0] = await list.ordinalsOf([firstPosition(from), firstPosition(to + 1)]);
  return { start, end };
}

async function findSignature({ db, addressHasher }: CoreReads, value: Bytes): Promise<number | undefined> {
  return findId(db, "signature", addressHasher, value);
}

const NO_ADDRESS = -1;

async function storedTopic(session: CoreReads, topic: Bytes | undefined): Promise<StoredTopic | undefined> {
  if (topic === undefined) return undefined;
  const first = topic.findIndex((byte) => byte !== 0);
  const word = first < 0 ? topic.subarray(32) : topic.subarray(first);
  const id = word.length <= 20 ? await session.addresses.id(topic.subarray(12)) : undefined;
  return { id: id ?? NO_ADDRESS, word };
}

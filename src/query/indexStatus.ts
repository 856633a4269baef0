import type { Bytes } from "../chain/encoding/bytes.ts";
import { equalBytes } from "../chain/encoding/bytes.ts";
import { ChainError } from "../chain/error.ts";
import type { Head } from "../chain/source.ts";
import type { Verified } from "../store/audit/verified.ts";
import { readVerified } from "../store/audit/verified.ts";
import type { WriterInfo } from "../store/engine/database.ts";
import type { Tip } from "../store/read/blocks.ts";
import type { StageCursor } from "../store/read/coreReads.ts";
import type { ReadSession } from "../store/session.ts";
import type { Omissions } from "../store/stages/tokens/tables/omissions.ts";
import type { StoreReader } from "../store/storeReader.ts";
import type { Activity, Role, ThreadState } from "./activity.ts";
import type { QueryContext } from "./context.ts";
import type { UnreadExchange } from "./exchange/unreadExchanges.ts";
import { readUnreadExchanges } from "./exchange/unreadExchanges.ts";

/** Index state at one moment, and the node's head. */
export interface IndexStatus {
  readonly head: Head | null;
  readonly tip: Tip | undefined;
  readonly since: number | null;
  readonly lag: number | null;
  readonly disagreement: Disagreement | null;
  /** Newest common block while the node is on another branch; -1 if there is none. */
  readonly forkedAt: number | null;
  readonly stages: readonly StageCursor[];
  readonly indexer: IndexerNote;
  readonly threads: readonly ThreadState[];
  readonly process: { readonly name: string; readonly role: Role } | undefined;
  /** Undefined if it is not known, as with a database that does not tell. */
  readonly writer: WriterInfo | undefined;
  readonly integrity: Note;
  readonly verified: Verified;
  readonly integrityMode: Mode | null;
  readonly tokensDue: number;
  readonly omissions: Omissions | undefined;
  /** Kinds of exchanges that are not understood. */
  readonly unreadExchanges: readonly UnreadExchange[];
  readonly unlistedLogs: { readonly blocks: number; readonly logs: number };
  readonly traces: TraceStatus | undefined;
}

interface TraceStatus {
  readonly block: number | null;
  readonly calls: number;
  readonly untraced: number;
  /** Why the next block is not traced. */
  readonly message: string | null;
}

/** A height at which node and index have different blocks. */
export interface Disagreement {
  readonly number: number;
  readonly node: Bytes;
  readonly index: Bytes;
}

const MODES = ["auto", "enforce", "observe"] as const;

type Mode = (typeof MODES)[number];

type Note = Readonly<Record<string, unknown>>;

interface IndexerNote {
  readonly state: "running" | "waiting" | "stopped" | "not started";
  readonly code?: string;
  readonly message?: string;
}

/** Milliseconds. A slightly older head may be of the branch just left, so a disagreement is checked again. */
const DISAGREEING_AGE = 100;

export async function readIndexStatus(context: QueryContext): Promise<IndexStatus> {
  const status = await readOnce(context);
  return status.disagreement === null ? status : readOnce(context, DISAGREEING_AGE);
}

async function readOnce({ store, node, activity }: QueryContext, maxAge?: number): Promise<IndexStatus> {
  const current = (await node?.head.current(maxAge)) ?? null;
  const [[kept, disagreement], writer] = await Promise.all([
    store.read((session) => Promise.all([readCached(session), compare(session, current)])),
    readWriter(store, activity),
  ]);
  const lag = current === null || kept.tip === undefined ? null : Math.max(current.number - kept.tip.number, 0);
  const threads = activity.threads.map((thread) => ({
    ...thread,
    reason: thread.reason && withoutUrls(thread.reason),
  }));
  const indexer = crashNote(threads) ?? absenceNote(writer) ?? kept.indexer;
  const process = activity.name === undefined ? undefined : { name: activity.name, role: activity.role };
  return { ...kept, head: current, lag, disagreement, threads, indexer, process, writer };
}

async function compare(session: ReadSession, head: Head | null): Promise<Disagreement | null> {
  const ours = head && (await session.blocks.byNumber(head.number))?.header.hash;
  if (!head || !ours || equalBytes(ours, head.hash)) return null;
  return { number: head.number, node: head.hash, index: ours };
}

async function readCached(
  session: ReadSession,
): Promise<Omit<IndexStatus, "head" | "lag" | "disagreement" | "threads" | "process" | "writer">> {
  const [range, forkedAt, stages, notes, omissions, unlistedLogs, traces, unreadExchanges] = await Promise.all([
    Promise.all([session.blocks.first(), session.blocks.tip()]),
    session.forkedAt(),
    session.stages(),
    Promise.all(["indexer", "integrity", "verified", "integrityMode"].map((name) => session.meta(name))),
    session.tokens.omissions(),
    session.logs.unlisted(),
    readTraceStatus(session),
    readUnreadExchanges(session),
  ]);
  const [first, tip] = range;
  const [indexer, integrity, verified, integrityMode] = notes;
  return {
    tip,
    since: first?.header.number ?? null,
    forkedAt: forkedAt ?? null,
    stages,
    indexer: { state: "not started", ...readNote(indexer) },
    integrity: readNote(integrity),
    verified: readVerified(verified),
    integrityMode: readMode(integrityMode),
    tokensDue: tip === undefined ? 0 : await session.observations.dueCount(tip.number),
    omissions,
    unlistedLogs,
    unreadExchanges,
    traces,
  };
}

async function readTraceStatus(session: ReadSession): Promise<TraceStatus | undefined> {
  const [tip, note] = await Promise.all([session.traces.tip(), session.meta("traces")]);
  if (tip === undefined && note === undefined) return undefined;
  const { message } = readNote(note);
  const { number: block = null, calls = 0, untraced = 0 } = tip ?? {};
  return { block, calls, untraced, message: typeof message === "string" ? message : null };
}

/** A dead indexer left an outdated status behind. */
function crashNote(threads: readonly ThreadState[]): IndexerNote | undefined {
  const dead = threads.find(({ name, isRunning }) => name === "indexer" && !isRunning);
  return (
    dead && { state: "stopped", code: "internal", message: `its thread ended (${dead.reason}) and is started again` }
  );
}

async function readWriter(store: StoreReader, { name, role }: Activity): Promise<WriterInfo | undefined> {
  const known = await store.writer();
  // An engine that does not tell has a lock that belongs to the process.
  return known ?? (name !== undefined && role === "writer" ? { name, isActive: true, age: 0 } : undefined);
}

function absenceNote(writer: WriterInfo | undefined): IndexerNote | undefined {
  if (writer === undefined || writer.isActive) return undefined;
  const message = `no process writes the index; ${writer.name} did until ${Math.floor(writer.age)} seconds ago`;
  return { state: "stopped", code: "store_unavailable", message };
}

/** Written by the indexer. Error texts may quote a node's URL. */
function readNote(text: string | undefined): Note {
  if (text === undefined) return {};
  try {
    return JSON.parse(text, (_, value) => (typeof value === "string" ? withoutUrls(value) : value));
  } catch (error) {
    throw new ChainError("store_corrupt", "a note of the indexer cannot be read", { cause: error });
  }
}

function readMode(text: string | undefined): Mode | null {
  return MODES.find((mode) => mode === text) ?? null;
}

function withoutUrls(text: string): string {
  return text.slice(0, 500).replace(/(https?|wss?):\/\/[^\s"']+/gi, "(url)");
}

/** Maximum lag to count as ready. */
export const READY_LAG = 5;

export function reasonNotReady(status: IndexStatus, hasNode: boolean): string | undefined {
  const { tip, head, lag, indexer, disagreement, threads, writer } = status;
  const why = indexer.message === undefined ? "" : `: ${indexer.message}`;
  if (tip === undefined) return `nothing is indexed yet${why}`;
  if (disagreement !== null) return `the node and the index disagree at block ${disagreement.number}`;
  const dead = threads.find(({ isRunning }) => !isRunning);
  if (dead !== undefined) return `the thread of the ${dead.name} ended and is started again`;
  // An index that nobody writes is as good as its newest block.
  if (indexer.state !== "running" && writer?.isActive !== false) return `the indexer is ${indexer.state}${why}`;
  if (!hasNode) return undefined;
  if (head === null || lag === null) return "the node does not answer";
  return lag > READY_LAG ? `the index is ${lag} blocks behind` : undefined;
}

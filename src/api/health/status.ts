import type { Bytes } from "../../chain/encoding/bytes.ts";
import { equalBytes } from "../../chain/encoding/bytes.ts";
import { checksumAddress } from "../../chain/encoding/checksum.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import { ChainError } from "../../chain/error.ts";
import type { Head } from "../../chain/source.ts";
import type { ThreadState } from "../../query/activity.ts";
import type { Tip } from "../../store/blocks.ts";
import type { ReadSession, StageCursor } from "../../store/session.ts";
import type { Omissions } from "../../store/tokens/omissions.ts";
import type { Verified } from "../../store/verified.ts";
import { readVerified } from "../../store/verified.ts";
import type { Context } from "../../query/context.ts";
import type { Shape } from "../openapi/values.ts";
import type { StatusSchema } from "./statusSchema.ts";

/** How the index stands, read from the store at one moment, and the node's head beside it. */
export interface State {
  readonly head: Head | null;
  readonly tip: Tip | undefined;
  readonly since: number | null;
  readonly lag: number | null;
  readonly disagreement: Disagreement | null;
  readonly stages: readonly StageCursor[];
  readonly indexer: IndexerNote;
  readonly threads: readonly ThreadState[];
  readonly integrity: Note;
  readonly verified: Verified;
  readonly integrityMode: Mode | null;
  readonly tokensDue: number;
  readonly omissions: Omissions | undefined;
  readonly unlistedLogs: { readonly blocks: number; readonly logs: number };
}

/** A height at which the node's newest block is another than the indexed one. */
export interface Disagreement {
  readonly number: number;
  readonly node: Bytes;
  readonly index: Bytes;
}

type Mode = NonNullable<Shape<typeof StatusSchema>["integrity_mode"]>;

type Note = Readonly<Record<string, unknown>>;

type IndexerNote = Shape<typeof StatusSchema>["indexer"];

/** A head of a moment ago may be of the branch that the index has just left: one that disagrees is asked for again. */
const DISAGREEING_AGE = 100;

export async function readState(context: Context): Promise<State> {
  const state = await readOnce(context);
  return state.disagreement === null ? state : readOnce(context, DISAGREEING_AGE);
}

async function readOnce({ store, head, activity }: Context, maxAge?: number): Promise<State> {
  const current = (await head?.current(maxAge)) ?? null;
  const [kept, disagreement] = await store.read(async (session) => [
    await readKept(session),
    await compare(session, current),
  ]);
  const lag = current === null || kept.tip === undefined ? null : Math.max(current.number - kept.tip.number, 0);
  const threads = activity.threads.map((thread) => ({
    ...thread,
    reason: thread.reason && withoutUrls(thread.reason),
  }));
  const indexer = noteOfDeath(threads) ?? kept.indexer;
  return { ...kept, head: current, lag, disagreement, threads, indexer };
}

async function compare(session: ReadSession, head: Head | null): Promise<Disagreement | null> {
  const ours = head && (await session.blocks.byNumber(head.number))?.header.hash;
  if (!head || !ours || equalBytes(ours, head.hash)) return null;
  return { number: head.number, node: head.hash, index: ours };
}

async function readKept(session: ReadSession): Promise<Omit<State, "head" | "lag" | "disagreement" | "threads">> {
  const [first, tip] = [await session.blocks.first(), await session.blocks.tip()];
  return {
    tip,
    since: first?.header.number ?? null,
    stages: await session.stages(),
    indexer: { state: "not started", ...readNote(await session.meta("indexer")) },
    integrity: readNote(await session.meta("integrity")),
    verified: readVerified(await session.meta("verified")),
    integrityMode: ((await session.meta("integrityMode")) ?? null) as Mode | null,
    tokensDue: tip === undefined ? 0 : await session.observations.dueCount(tip.number),
    omissions: await session.tokens.omissions(),
    unlistedLogs: await session.logs.unlisted(),
  };
}

/** An indexer that died has left a note behind that says what it did before. */
function noteOfDeath(threads: readonly ThreadState[]): IndexerNote | undefined {
  const dead = threads.find(({ name, isRunning }) => name === "indexer" && !isRunning);
  return (
    dead && { state: "stopped", code: "internal", message: `its thread ended (${dead.reason}) and is started again` }
  );
}

/** Notes are written by the indexer. Their texts come from errors, and an error may quote a node's URL. */
function readNote(text: string | undefined): Note {
  if (text === undefined) return {};
  try {
    return JSON.parse(text, (_, value) => (typeof value === "string" ? withoutUrls(value) : value)) as Note;
  } catch (error) {
    throw new ChainError("store_corrupt", "a note of the indexer cannot be read", { cause: error });
  }
}

function withoutUrls(text: string): string {
  return text.slice(0, 500).replace(/(https?|wss?):\/\/[^\s"']+/gi, "(url)");
}

/** Blocks behind the node at which an answer still counts as current. */
export const READY_LAG = 5;

/** Why this network should get no traffic, or undefined if it should. */
export function reasonNotReady(state: State, hasSource: boolean): string | undefined {
  const { tip, head, lag, indexer, disagreement, threads } = state;
  const why = indexer.message === undefined ? "" : `: ${indexer.message}`;
  if (tip === undefined) return `nothing is indexed yet${why}`;
  if (disagreement !== null) return `the node and the index disagree at block ${disagreement.number}`;
  const dead = threads.find(({ isRunning }) => !isRunning);
  if (dead !== undefined) return `the thread of the ${dead.name} ended and is started again`;
  if (indexer.state !== "running") return `the indexer is ${indexer.state}${why}`;
  if (!hasSource) return undefined;
  if (head === null || lag === null) return "the node does not answer";
  return lag > READY_LAG ? `the index is ${lag} blocks behind` : undefined;
}

export function presentStatus(state: State, { settings }: Context): Shape<typeof StatusSchema> {
  const { head, tip, stages, since, lag, disagreement, indexer, threads, integrity, integrityMode, omissions } = state;
  return {
    chain_id: settings.chainId,
    chain_name: settings.chainName,
    version: settings.version,
    head: head === null ? null : { number: head.number, hash: toHex(head.hash) },
    indexed: tip === undefined ? null : { number: tip.number, hash: toHex(tip.hash), timestamp: tip.timestamp },
    since_block: since,
    lag,
    disagreement: disagreement && presentDisagreement(disagreement),
    digest: tip === undefined ? null : toHex(tip.digest),
    indexer,
    threads: threads.map(({ name, isRunning, restarts, reason }) => ({ name, running: isRunning, restarts, reason })),
    stages: stages.map(({ name, version, block, digest }) => ({ name, version, block, digest: toHex(digest) })),
    omitted_transfers: omissions === undefined ? null : presentOmissions(omissions),
    unlisted_logs: state.unlistedLogs.blocks === 0 ? null : state.unlistedLogs,
    verification: presentVerified(state.verified),
    integrity_mode: integrityMode,
    integrity,
    totals: tip === undefined || since === null ? null : { blocks: tip.number - since + 1, ...presentTotals(tip) },
    uptime_seconds: Math.floor(process.uptime()),
  };
}

function presentOmissions({ blocks, transfers, last }: Omissions) {
  const { block, tokens, busiest } = last;
  return {
    blocks,
    transfers,
    last: { block, transfers: last.transfers, tokens, busiest_token: checksumAddress(busiest) },
  };
}

function presentVerified({ rounds, next, damaged, differences, problem }: Verified) {
  const found = { damaged_blocks: damaged.length, first_damaged: damaged[0] ?? null, differences, problem };
  return { rounds, next_block: next, ...found };
}

function presentDisagreement({ number, node, index }: Disagreement) {
  return { number, node_hash: toHex(node), index_hash: toHex(index) };
}

function presentTotals({ totals }: Tip) {
  const { transactions, logs, addresses, contracts, signatures, gasUsed } = totals;
  return { transactions, logs, addresses, contracts, event_signatures: signatures, gas_used: String(gasUsed) };
}

import { checksumAddress } from "../chain/checksum.ts";
import { ChainError } from "../chain/error.ts";
import { toHex } from "../chain/hex.ts";
import type { Head } from "../chain/source.ts";
import type { Tip } from "../store/blocks.ts";
import type { Stage, Store } from "../store/store.ts";
import type { Omissions } from "../store/tokens/omissions.ts";
import type { Verified } from "../store/verified.ts";
import { readVerified } from "../store/verified.ts";
import type { Context } from "./context.ts";
import type { Shape } from "./openapi/values.ts";
import type { StatusSchema } from "./statusSchema.ts";

/** How the index stands, read from the store at one moment, and the node's head beside it. */
export interface State {
  readonly head: Head | null;
  readonly tip: Tip | undefined;
  readonly since: number | null;
  readonly lag: number | null;
  readonly stages: readonly Stage[];
  readonly indexer: IndexerNote;
  readonly integrity: Note;
  readonly verified: Verified;
  readonly tokensDue: number;
  readonly omissions: Omissions | undefined;
}

type Note = Readonly<Record<string, unknown>>;

type IndexerNote = Shape<typeof StatusSchema>["indexer"];

export async function readState({ store, head }: Context): Promise<State> {
  const [current, kept] = await Promise.all([head?.current() ?? null, store.read(() => readKept(store))]);
  const lag = current === null || kept.tip === undefined ? null : Math.max(current.number - kept.tip.number, 0);
  return { ...kept, head: current, lag };
}

async function readKept(store: Store): Promise<Omit<State, "head" | "lag">> {
  const [first, tip] = [await store.blocks.first(), await store.blocks.tip()];
  return {
    tip,
    since: first?.header.number ?? null,
    stages: await store.stages(),
    indexer: { state: "not started", ...readNote(await store.meta("indexer")) },
    integrity: readNote(await store.meta("integrity")),
    verified: readVerified(await store.meta("verified")),
    tokensDue: tip === undefined ? 0 : await store.observations.dueCount(tip.number),
    omissions: await store.tokens.omissions(),
  };
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
export function reasonNotReady({ tip, head, lag, indexer }: State, hasSource: boolean): string | undefined {
  if (tip === undefined) return "nothing is indexed yet";
  if (indexer.state !== "running") return `the indexer is ${indexer.state}`;
  if (!hasSource) return undefined;
  if (head === null || lag === null) return "the node does not answer";
  return lag > READY_LAG ? `the index is ${lag} blocks behind` : undefined;
}

export function presentStatus(state: State, { settings }: Context): Shape<typeof StatusSchema> {
  const { head, tip, stages, since, lag, indexer, integrity, omissions } = state;
  return {
    chain_id: settings.chainId,
    chain_name: settings.chainName,
    version: settings.version,
    head: head === null ? null : { number: head.number, hash: toHex(head.hash) },
    indexed: tip === undefined ? null : { number: tip.number, hash: toHex(tip.hash), timestamp: tip.timestamp },
    since_block: since,
    lag,
    digest: tip === undefined ? null : toHex(tip.digest),
    indexer,
    stages: stages.map(({ name, version, block, digest }) => ({ name, version, block, digest: toHex(digest) })),
    omitted_transfers: omissions === undefined ? null : presentOmissions(omissions),
    verification: presentVerified(state.verified),
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

function presentTotals({ totals }: Tip) {
  const { transactions, logs, addresses, contracts, signatures, gasUsed } = totals;
  return { transactions, logs, addresses, contracts, event_signatures: signatures, gas_used: String(gasUsed) };
}

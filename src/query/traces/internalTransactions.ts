import type { Bytes } from "../../chain/encoding/bytes.ts";
import { equalBytes } from "../../chain/encoding/bytes.ts";
import { ChainError } from "../../chain/error.ts";
import type { TracedCall } from "../../chain/trace/internalCall.ts";
import type { AddressInfos } from "../../store/read/addressInfos.ts";
import type { MinedTransaction } from "../../store/read/transactions.ts";
import type { ReadSession } from "../../store/session.ts";
import type { MinedCall } from "../../store/stages/traces/traceReads.ts";
import type { OrdinalList } from "../../store/tables/list.ts";
import { readBlock } from "../blocks/block.ts";
import type { CacheScope } from "../cacheScope.ts";
import type { QueryContext } from "../context.ts";
import { contains, readIndexedRange } from "../indexedRange.ts";
import type { ListWalk } from "../listWalk.ts";
import { positionsAfter, walkPage } from "../listWalk.ts";
import type { PageInfo, PageRequest, WalkCursor, WalkInfo } from "../pages.ts";
import { pageInBlock, readListPage } from "../pages.ts";
import { notTraced, readTraceRange } from "../stageRanges.ts";
import type { TimeSpan } from "../timeSpan.ts";
import { positionsIn } from "../timeSpan.ts";
import { readRangeWith, traceBlockCalls, traceCalls, Untraced } from "./untraced.ts";

/** A call of any type and its transaction. */
export interface ListedCall extends TracedCall {
  readonly mined: MinedTransaction;
}

export interface InternalPage<I extends PageInfo | WalkInfo = PageInfo, C extends ListedCall = MinedCall> {
  readonly calls: readonly C[];
  readonly addresses: AddressInfos;
  readonly info: I;
  readonly scope: CacheScope | undefined;
}

export function listInternalTransactions(context: QueryContext, request: PageRequest): Promise<InternalPage> {
  return readPage(context, request, async ({ traces }) => traces.all());
}

export function listAddressInternalTransactions(
  context: QueryContext,
  address: Bytes,
  request: PageRequest,
): Promise<InternalPage> {
  return readPage(context, request, ({ traces }) => traces.ofAddress(address));
}

/** Made by, or calling or creating, an address; newest first. */
export async function listAddressInternalTransactionsOf(
  { store }: QueryContext,
  address: Bytes,
  role: "from" | "to",
  request: PageRequest<WalkCursor>,
): Promise<InternalPage<WalkInfo>> {
  const walk: ListWalk = {
    next: async (session, after, count) => {
      await readTraceRange(session);
      return positionsAfter(await session.traces.ofAddress(address), "desc", after, count);
    },
    select: async ({ traces }, positions) => {
      const calls = await traces.at(positions);
      const isParty = (party: Bytes | null | undefined) => party instanceof Uint8Array && equalBytes(party, address);
      return positions.filter((_, at) => isParty(calls[at]?.[role]));
    },
  };
  const { found, info } = await walkPage(store, walk, request, loadRelated);
  return { info, ...found, scope: "index" };
}

/** Of all, in a time; newest first. */
export async function listInternalTransactionsIn(
  { store }: QueryContext,
  span: TimeSpan,
  request: PageRequest<WalkCursor>,
): Promise<InternalPage<WalkInfo>> {
  const walk: ListWalk = {
    next: async (session, after, count) => {
      await readTraceRange(session);
      const { top, lowest } = await positionsIn(session, span);
      const found = await positionsAfter(session.traces.all(), "desc", after ?? top, count);
      return found.filter((position) => position >= lowest);
    },
    select: async (_, positions) => positions,
  };
  const { found, info } = await walkPage(store, walk, request, loadRelated);
  return { info, ...found, scope: "index" };
}

/** In preorder; from the node if not indexed yet. Undefined if the block is not indexed. */
export async function listBlockInternalTransactions(
  context: QueryContext,
  id: number | Bytes,
  request: PageRequest<Bytes>,
): Promise<InternalPage | undefined> {
  const page = await context.store.read(async (session): Promise<InternalPage | Untraced | undefined> => {
    const header = (await readBlock(session, id))?.header;
    if (header === undefined) return undefined;
    const [range, list] = await Promise.all([readRangeWith(session, header), session.traces.ofBlock(header.number)]);
    if (range instanceof Untraced) return range;
    const { info, window } = pageInBlock(await list.count(), range, request, header);
    return { info, ...(await loadRelated(session, await list.slice(window.from, window.to))), scope: "index" };
  });
  return page instanceof Untraced ? pageOf(context, page, await traceBlockCalls(context, page), request) : page;
}

/** A page of calls from the node. */
export async function pageOf<C extends ListedCall>(
  { store }: QueryContext,
  { header, range }: Pick<Untraced, "header" | "range">,
  calls: readonly C[],
  request: PageRequest<Bytes>,
): Promise<InternalPage<PageInfo, C>> {
  const { info, window } = pageInBlock(calls.length, range, request, header);
  const shown = calls.slice(window.from, window.to);
  const addresses = await store.read((session) => session.addresses.infos(addressesIn(shown)));
  return { calls: shown, addresses, info, scope: undefined };
}

/** In preorder; from the node if not indexed yet. Empty if pending. */
export async function listTransactionInternalTransactions(
  context: QueryContext,
  hash: Bytes,
  request: PageRequest<Bytes>,
): Promise<InternalPage | undefined> {
  const { store, node } = context;
  const indexed = await store.read((session) => readOfTransaction(session, hash, request));
  if (indexed !== undefined) return completed(context, indexed, request);
  const sent = await node?.readThrough.transaction(hash);
  const page =
    sent &&
    (await store.read(async (session): Promise<FoundPage> => {
      const found = await readOfTransaction(session, hash, request);
      const range = await readIndexedRange(session);
      if (found !== undefined || (sent.block && contains(range, sent.block.header.number))) return found;
      if (sent.block !== undefined) throw notTraced(sent.block.header.number, range);
      const { info } = pageInBlock(0, range, request, undefined);
      return { info, ...(await loadRelated(session, [])), scope: undefined };
    }));
  return page && completed(context, page, request);
}

interface UntracedTransaction {
  readonly untraced: Untraced;
  readonly mined: MinedTransaction;
}

type FoundPage = InternalPage | UntracedTransaction | undefined;

async function completed(
  context: QueryContext,
  page: InternalPage | UntracedTransaction,
  request: PageRequest<Bytes>,
): Promise<InternalPage> {
  if (!("untraced" in page)) return page;
  return pageOf(context, page.untraced, await traceCalls(context, page.untraced, page.mined), request);
}

async function readOfTransaction(session: ReadSession, hash: Bytes, request: PageRequest<Bytes>): Promise<FoundPage> {
  const mined = await session.transactions.byHash(hash);
  if (mined === undefined) return undefined;
  const { header } = mined.block;
  const [range, list] = await Promise.all([
    readRangeWith(session, header),
    session.traces.ofTransaction(header.number, mined.index),
  ]);
  if (range instanceof Untraced) return { untraced: range, mined };
  if (list === undefined) throw new ChainError("limit_exceeded", "the trace of the transaction is too long to read");
  const { info, window } = pageInBlock(await list.count(), range, request, header);
  return { info, ...(await loadRelated(session, await list.slice(window.from, window.to))), scope: "index" };
}

function readPage(
  { store }: QueryContext,
  request: PageRequest,
  find: (session: ReadSession) => Promise<OrdinalList>,
): Promise<InternalPage> {
  return store.read(async (session) => {
    const [range, list] = await Promise.all([readTraceRange(session), find(session)]);
    const { info, positions } = await readListPage(list, range, request);
    return { info, ...(await loadRelated(session, positions)), scope: "index" as const };
  });
}

async function loadRelated({ traces, addresses }: ReadSession, positions: readonly number[]) {
  const calls = await traces.at(positions, (parties) => addresses.infos(parties));
  return { calls, addresses: await addresses.infos(addressesIn(calls)) };
}

const addressesIn = (calls: readonly ListedCall[]): Bytes[] =>
  calls.flatMap(({ from, to }) => (to === null ? [from] : [from, to]));

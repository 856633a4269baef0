import type { Bytes } from "../../chain/encoding/bytes.ts";
import { EMPTY, isZero } from "../../chain/encoding/bytes.ts";
import { ChainError } from "../../chain/error.ts";
import type { AddressInfos } from "../../store/read/addressInfos.ts";
import type { MinedTransaction } from "../../store/read/transactions.ts";
import { mustHave } from "../../store/rows/encoding.ts";
import type { ItemId } from "../../store/rows/ids.ts";
import type { ReadSession } from "../../store/session.ts";
import type { KnownToken } from "../../store/stages/tokens/read/tokenReads.ts";
import type { MinedTransfer } from "../../store/stages/tokens/read/transferReads.ts";
import type { TransferRanges } from "../../store/stages/tokens/tables/transferCounts.ts";
import type { OrdinalList, SearchableList } from "../../store/tables/list.ts";
import { NO_LIST } from "../../store/tables/list.ts";
import type { CacheScope } from "../cacheScope.ts";
import type { QueryContext } from "../context.ts";
import type { Method } from "../decode/method.ts";
import { listedInput, methodOf } from "../decode/method.ts";
import { contains, readIndexedRange } from "../indexedRange.ts";
import type { SourceTransaction } from "../node/readThrough.ts";
import type { PageInfo, PageRequest, WalkInfo } from "../pages.ts";
import { pageInBlock, readListPage } from "../pages.ts";
import { hasTokens, readTokenRange } from "../stageRanges.ts";
import type { TokenItem } from "./items.ts";
import { MovedTokens } from "./movedTokens.ts";
import { readToken } from "./token.ts";

export interface TransferView {
  readonly transfer: MinedTransfer;
  readonly token: KnownToken;
  readonly method: Method | undefined;
  /** Undefined for ERC-20. */
  readonly item: TokenItem | undefined;
}

export interface TransferPage<I extends PageInfo | WalkInfo = PageInfo> {
  readonly transfers: readonly TransferView[];
  readonly addresses: AddressInfos;
  readonly info: I;
  readonly scope: CacheScope | undefined;
}

export interface TransferExcerpt {
  readonly transfers: readonly TransferView[];
  readonly addresses: AddressInfos;
  /** Total number. */
  readonly count: number;
}

export function listTransfers(context: QueryContext, request: PageRequest): Promise<TransferPage> {
  return readPage(context, request, async (session) => {
    const range = await readTokenRange(session);
    return range === undefined ? NO_LIST : session.tokens.allTransfers(range.first);
  });
}

export function listTokenTransfers(
  context: QueryContext,
  address: Bytes,
  request: PageRequest,
): Promise<TransferPage | undefined> {
  return readPage(context, request, async (session) => {
    const list = await session.tokens.transfers.ofTokenAt(address);
    const isToken = (await list.count()) > 0 || (await readToken(session, address)) !== undefined;
    return isToken ? list : undefined;
  });
}

/** Newest first; undefined if there is no such item. */
export function listItemTransfers(
  context: QueryContext,
  address: Bytes,
  tokenId: Bytes,
  request: PageRequest,
): Promise<TransferPage | undefined> {
  return readPage(context, request, async (session) => {
    const list = await transfersOfItem(session, address, tokenId);
    return (await list.count()) === 0 ? undefined : list;
  });
}

async function transfersOfItem({ addresses, tokens }: ReadSession, address: Bytes, tokenId: Bytes) {
  const id = await addresses.id(address);
  return id === undefined ? NO_LIST : tokens.items.transfersOf(id, tokenId);
}

/** Number of transfers of an item; undefined where there is no such item. */
export function countItemTransfers(
  { store }: QueryContext,
  address: Bytes,
  tokenId: Bytes,
): Promise<number | undefined> {
  return store.read(async (session) => {
    const [list] = await Promise.all([transfersOfItem(session, address, tokenId), readTokenRange(session)]);
    const count = await list.count();
    return count === 0 ? undefined : count;
  });
}

export function listAddressTransfers(
  context: QueryContext,
  address: Bytes,
  request: PageRequest,
): Promise<TransferPage> {
  return readPage(context, request, (session) => transfersOfAddress(session, address));
}

export function listAddressTokenTransfers(
  context: QueryContext,
  address: Bytes,
  token: Bytes,
  request: PageRequest,
): Promise<TransferPage> {
  return readPage(context, request, (session) => transfersOfPair(session, address, token));
}

/** In log order; empty if pending. */
export async function listTransactionTransfers(
  context: QueryContext,
  hash: Bytes,
  request: PageRequest<Bytes>,
): Promise<TransferPage | undefined> {
  const { store, node } = context;
  const indexed = await store.read((session) => readOfTransaction(context, session, hash, request));
  if (indexed !== undefined) return describePage(context, indexed, "index");
  const sent = await node?.readThrough.transaction(hash);
  const page =
    sent &&
    (await store.read(
      async (session) =>
        (await readOfTransaction(context, session, hash, request)) ?? readSent(context, session, sent, request),
    ));
  return page && describePage(context, page, undefined);
}

/** Transfers shown with their transaction. */
export const MAX_SHOWN = 10;

/** Undefined if the tokens stage is behind. */
export async function readTransferExcerpt(
  context: QueryContext,
  session: ReadSession,
  mined: MinedTransaction,
  ranges: TransferRanges,
): Promise<TransferExcerpt | undefined> {
  if (!(await hasTokens(session, await readIndexedRange(session)))) return undefined;
  const list = session.tokens.transfers.ofTransaction(mined.block.header.number, mined.index, ranges);
  const found = await loadRelated(context, session, await list.slice(0, MAX_SHOWN), mined);
  const transfers = await describe(context, found);
  return { transfers, addresses: found.addresses, count: await list.count() };
}

export async function transfersOfAddress(session: ReadSession, address: Bytes): Promise<SearchableList> {
  return session.tokens.transfers.ofAddressAt(address);
}

export async function transfersOfPair(
  { addresses, tokens }: ReadSession,
  address: Bytes,
  token: Bytes,
): Promise<SearchableList> {
  if (isZero(address))
    throw new ChainError("unsupported", "what the zero address mints and burns has no list by token");
  const [holder, asset] = await Promise.all([addresses.id(address), addresses.id(token)]);
  return holder === undefined || asset === undefined ? NO_LIST : tokens.transfers.ofPair(holder, asset);
}

/** Transfers before their transactions' calls are decoded. */
interface ReadTransfers {
  readonly transfers: readonly MinedTransfer[];
  readonly tokens: ReadonlyMap<number, KnownToken>;
  readonly items: ReadonlyMap<ItemId, TokenItem>;
  readonly addresses: AddressInfos;
}

interface ReadPage<I extends PageInfo | WalkInfo = PageInfo> extends ReadTransfers {
  readonly info: I;
}

/** Undefined if there is no list. */
async function readPage<L extends OrdinalList | undefined>(
  context: QueryContext,
  request: PageRequest,
  find: (session: ReadSession) => Promise<L>,
): Promise<TransferPage | Extract<L, undefined>>;
async function readPage(
  context: QueryContext,
  request: PageRequest,
  find: (session: ReadSession) => Promise<OrdinalList | undefined>,
): Promise<TransferPage | undefined> {
  const page = await context.store.read(async (session) => {
    const [range, list] = await Promise.all([readTokenRange(session), find(session)]);
    if (list === undefined) return undefined;
    const { info, positions } = await readListPage(list, range, request);
    return { info, ...(await loadRelated(context, session, positions)) };
  });
  return page && describePage(context, page, "index");
}

async function readOfTransaction(
  context: QueryContext,
  session: ReadSession,
  hash: Bytes,
  request: PageRequest<Bytes>,
): Promise<ReadPage | undefined> {
  const [range, ranges] = [readTokenRange(session), session.tokens.transfers.rangesOf(hash)];
  // Thrown only for a transaction that is indexed: others may be known to the node.
  range.catch(() => {});
  let page: ReadPage | undefined;
  await Promise.all([
    session.transactions.byHash(hash, async (mined) => {
      const { header } = mined.block;
      const list = session.tokens.transfers.ofTransaction(header.number, mined.index, await ranges);
      const { info, window } = pageInBlock(await list.count(), await range, request, header);
      page = { info, ...(await loadRelated(context, session, await list.slice(window.from, window.to), mined)) };
    }),
    ranges,
  ]);
  return page;
}

async function readSent(
  context: QueryContext,
  session: ReadSession,
  { block }: SourceTransaction,
  request: PageRequest<Bytes>,
): Promise<ReadPage | undefined> {
  const range = await readTokenRange(session);
  if (block === undefined) {
    return { info: pageInBlock(0, range, request, undefined).info, ...(await loadRelated(context, session, [])) };
  }
  const { number } = block.header;
  if (contains(range, number)) return undefined;
  throw new ChainError("stage_behind", `Block ${number} is not indexed. The index is at block ${range?.tip.number}.`);
}

export async function loadRelated(
  { metadata }: QueryContext,
  session: ReadSession,
  positions: readonly number[],
  emitter?: MinedTransaction,
): Promise<ReadTransfers> {
  const moved = new MovedTokens(session);
  const transfers = await session.tokens.transfers.at(positions, emitter, (stored) => moved.read(stored));
  const items = await moved.items(transfers, metadata);
  const owners = [...items.values()].flatMap(({ owner }) => owner ?? []);
  const addresses = await session.addresses.infos([...transfers.flatMap(addressesOf), ...owners]);
  return { transfers, tokens: moved.tokens, items, addresses };
}

/** Parties and the called contract. */
function addressesOf({ from, to, mined }: MinedTransfer): Bytes[] {
  const called = mined.transaction.to;
  return called === null ? [from, to] : [from, to, called];
}

export async function describePage<I extends PageInfo | WalkInfo>(
  context: QueryContext,
  page: ReadPage<I>,
  scope: CacheScope | undefined,
): Promise<TransferPage<I>> {
  return { transfers: await describe(context, page), addresses: page.addresses, info: page.info, scope };
}

async function describe(
  context: QueryContext,
  { transfers, tokens, items, addresses }: ReadTransfers,
): Promise<TransferView[]> {
  const names = await namesIn(context, transfers);
  return transfers.map((transfer) => ({
    transfer,
    token: mustHave(tokens.get(transfer.token), `token ${transfer.token}`),
    method: methodOf(transfer.mined.transaction, addresses, names.get(transfer.mined.position)),
    item: items.get(transfer.item),
  }));
}

/** Method names by transaction position, since many transfers share a transaction. */
async function namesIn(
  { decoder }: QueryContext,
  transfers: readonly MinedTransfer[],
): Promise<ReadonlyMap<number, string | undefined>> {
  const emitters = new Map(transfers.map(({ mined }) => [mined.position, mined.transaction]));
  const calls = [...emitters.values()].map((tx) => (tx.to === null ? EMPTY : listedInput(tx)));
  const names = await decoder.listedNames(calls);
  return new Map([...emitters.keys()].map((position, at) => [position, names[at]]));
}

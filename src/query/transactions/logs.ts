import type { Decoded } from "../../chain/abi/resolve.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { EMPTY, equalBytes } from "../../chain/encoding/bytes.ts";
import type { AddressInfos } from "../../store/read/addressInfos.ts";
import type { MinedLog } from "../../store/read/logs.ts";
import type { ReadSession } from "../../store/session.ts";
import { NO_LIST } from "../../store/tables/list.ts";
import type { CacheScope } from "../cacheScope.ts";
import type { QueryContext } from "../context.ts";
import type { IndexedRange } from "../indexedRange.ts";
import { contains, readIndexedRange } from "../indexedRange.ts";
import type { ListWalk } from "../listWalk.ts";
import { positionsAfter, walkPage } from "../listWalk.ts";
import type { SourceTransaction } from "../node/readThrough.ts";
import type { PageInfo, PageRequest, WalkCursor, WalkInfo } from "../pages.ts";
import { pageInBlock, readListPage } from "../pages.ts";

export interface DecodedLog {
  readonly log: MinedLog;
  readonly decoded: Decoded | undefined;
}

export interface LogPage<I extends PageInfo | WalkInfo = PageInfo> {
  readonly logs: readonly DecodedLog[];
  readonly addresses: AddressInfos;
  readonly info: I;
  readonly scope: CacheScope | undefined;
}

interface ReadPage<I extends PageInfo | WalkInfo = PageInfo> {
  readonly logs: readonly MinedLog[];
  readonly addresses: AddressInfos;
  readonly info: I;
  readonly range: IndexedRange | undefined;
}

export async function listAddressLogs(context: QueryContext, address: Bytes, request: PageRequest): Promise<LogPage> {
  const page = await context.store.read(async (session) => {
    const range = await readIndexedRange(session);
    const id = await session.addresses.id(address);
    const list = id === undefined ? NO_LIST : session.addresses.emitted(id);
    const { info, positions } = await readListPage(list, range, request);
    return loadRelated(session, await session.logs.at(positions), info, range);
  });
  return decodeIndexed(context, page);
}

/** With a topic in any position, newest first. */
export async function listAddressLogsWith(
  context: QueryContext,
  address: Bytes,
  topic: Bytes,
  request: PageRequest<WalkCursor>,
): Promise<LogPage<WalkInfo>> {
  const walk: ListWalk = {
    next: async ({ addresses }, after, count) => {
      const id = await addresses.id(address);
      return positionsAfter(id === undefined ? NO_LIST : addresses.emitted(id), "desc", after, count);
    },
    select: async ({ logs }, positions) => {
      const found = await logs.at(positions, 0);
      return positions.filter((_, at) => hasTopic(found[at]?.topics ?? EMPTY, topic));
    },
  };
  const { found, info } = await walkPage(context.store, walk, request, async (session, positions) => {
    const logs = await session.logs.at(positions);
    const addresses = await session.addresses.infos(logs.flatMap(addressesOf));
    return { logs, addresses, range: await readIndexedRange(session) };
  });
  return decodeIndexed(context, { ...found, info });
}

function hasTopic(topics: Bytes, topic: Bytes): boolean {
  for (let at = 0; at < topics.length; at += 32) if (equalBytes(topics.subarray(at, at + 32), topic)) return true;
  return false;
}

/** From the index, or else from the node. */
export async function listTransactionLogs(
  context: QueryContext,
  hash: Bytes,
  request: PageRequest<Bytes>,
): Promise<LogPage | undefined> {
  const { store, node } = context;
  const indexed = await store.read((session) => readIndexed(session, hash, request));
  if (indexed !== undefined) return decodeIndexed(context, indexed);
  const sent = await node?.readThrough.transaction(hash);
  const page =
    sent &&
    (await store.read(
      async (session) => (await readIndexed(session, hash, request)) ?? readSent(session, sent, request),
    ));
  return page && decode(context, page);
}

async function readIndexed(
  session: ReadSession,
  hash: Bytes,
  request: PageRequest<Bytes>,
): Promise<ReadPage | undefined> {
  const mined = await session.transactions.byHash(hash);
  if (mined === undefined) return undefined;
  const range = await readIndexedRange(session);
  const { info, window } = pageInBlock(mined.logs.count, range, request, mined.block.header);
  const logs = await session.logs.ofTransaction(mined, window.from, window.to);
  return loadRelated(session, logs, info, range);
}

/** Empty if pending. A block at an indexed height is the index's to answer. */
async function readSent(
  session: ReadSession,
  { transaction, block }: SourceTransaction,
  request: PageRequest<Bytes>,
): Promise<ReadPage | undefined> {
  const range = await readIndexedRange(session);
  if (block !== undefined && contains(range, block.header.number)) return undefined;
  const logs = block === undefined ? [] : logsIn(block, transaction);
  const { info, window } = pageInBlock(logs.length, range, request, block?.header);
  return loadRelated(session, logs.slice(window.from, window.to), info, range);
}

function logsIn(
  { header, transactions, receipts }: NonNullable<SourceTransaction["block"]>,
  { hash, from, to }: SourceTransaction["transaction"],
): MinedLog[] {
  const index = transactions.findIndex((other) => equalBytes(other.hash, hash));
  return (receipts[index]?.logs ?? []).map((log) => ({
    ...log,
    transactionHash: hash,
    sender: from,
    called: to,
    header,
  }));
}

async function loadRelated(
  session: ReadSession,
  logs: readonly MinedLog[],
  info: PageInfo,
  range: IndexedRange | undefined,
): Promise<ReadPage> {
  return { logs, info, range, addresses: await session.addresses.infos(logs.flatMap(addressesOf)) };
}

/** Emitter and called contract. */
function addressesOf({ address, called }: MinedLog): Bytes[] {
  return called === null ? [address] : [address, called];
}

/** Code is only fetched if there are ABIs. */
async function decodeIndexed<I extends PageInfo | WalkInfo>(
  context: QueryContext,
  page: ReadPage<I>,
): Promise<LogPage<I>> {
  const { decoder } = context;
  const by = decoder.deadline();
  const decoded = await decode(context, page, by);
  return { ...decoded, scope: by.isMissed ? undefined : decoder.hasAbis ? "state" : "index" };
}

async function decode<I extends PageInfo | WalkInfo>(
  { decoder }: QueryContext,
  { logs, addresses, info, range }: ReadPage<I>,
  by = decoder.deadline(),
): Promise<LogPage<I>> {
  const decoded = await decoder.logs(logs, range?.tip, by);
  return { logs: logs.map((log, at) => ({ log, decoded: decoded[at] })), addresses, info, scope: undefined };
}

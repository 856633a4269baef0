import type { Bytes } from "../../chain/encoding/bytes.ts";
import { equalBytes } from "../../chain/encoding/bytes.ts";
import type { IndexedRange } from "../indexedRange.ts";
import { contains, readIndexedRange } from "../indexedRange.ts";
import type { SourceTransaction } from "../node/readThrough.ts";
import { mapInTurns } from "../../std/turn.ts";
import type { AccountKinds } from "../../store/accountKinds.ts";
import { NO_LIST } from "../../store/list.ts";
import type { MinedLog } from "../../store/logs.ts";
import type { ReadSession } from "../../store/session.ts";
import type { Context } from "../context.ts";
import { cacheable } from "../../api/http/responseCache.ts";
import type { Placed } from "../../api/rest/envelope.ts";
import { presentList } from "../../api/rest/envelope.ts";
import { notFound } from "../../api/rest/errors.ts";
import { placeInBlock, readOrdinalPage } from "../pages.ts";
import type { PageRequest, Query } from "../../api/rest/params.ts";
import { parseAddress, parseBlockPage, parseHash, parsePage } from "../../api/rest/params.ts";
import { addressesOfLog, presentLog } from "../../api/rest/transactions/presentLog.ts";

/** A page of logs as it was read, before the node is asked what they mean. */
interface ReadPage {
  readonly logs: readonly MinedLog[];
  readonly kinds: AccountKinds;
  readonly placed: Placed;
  readonly range: IndexedRange | undefined;
}

/** The logs an address emitted, newest first (specification, section 4.1). */
export async function serveAddressLogs(context: Context, text: string, query: Query): Promise<object> {
  const address = parseAddress(text);
  const request = parsePage(query);
  const { store } = context;
  const page = await store.read(async (session) => {
    const range = await readIndexedRange(session);
    const id = await session.addresses.id(address);
    const list = id === undefined ? NO_LIST : session.addresses.emitted(id);
    const { placed, positions } = await readOrdinalPage(list, range, request);
    return readPage(session, await session.logs.at(positions), placed, range);
  });
  return presentIndexed(context, page);
}

/** The logs of a transaction in their order (specification, section 4.1): from the index, or else from the node. */
export async function serveTransactionLogs(context: Context, text: string, query: Query): Promise<object> {
  const { store, readThrough } = context;
  const hash = parseHash(text);
  const request = parseBlockPage(query);
  const known = await store.read((session) => indexedPage(session, hash, request));
  if (known !== undefined) return presentIndexed(context, known);
  const sent = await readThrough?.transaction(hash);
  if (sent === undefined) throw notFound();
  const page = await store.read(
    async (session) => (await indexedPage(session, hash, request)) ?? sentPage(session, sent, request),
  );
  return presentPage(context, page);
}

async function indexedPage(
  session: ReadSession,
  hash: Bytes,
  request: PageRequest<Bytes>,
): Promise<ReadPage | undefined> {
  const mined = await session.transactions.byHash(hash);
  if (mined === undefined) return undefined;
  const range = await readIndexedRange(session);
  const placed = placeInBlock(mined.logs.count, range, request, mined.block.header);
  const { from, to } = placed.window;
  return readPage(session, await session.logs.ofTransaction(mined, from, to), placed, range);
}

/** One that waits has none; one in a block of a height that the index contains is the index's to answer. */
async function sentPage(session: ReadSession, { transaction, block }: SourceTransaction, request: PageRequest<Bytes>) {
  const range = await readIndexedRange(session);
  if (block !== undefined && contains(range, block.header.number)) throw notFound();
  const index = block?.transactions.findIndex(({ hash }) => equalBytes(hash, transaction.hash)) ?? -1;
  const logs = (block?.receipts[index]?.logs ?? []).map((log) => ({
    ...log,
    transactionHash: transaction.hash,
    called: transaction.to,
    header: block!.header,
  }));
  const placed = placeInBlock(logs.length, range, request, block?.header);
  return readPage(session, logs.slice(placed.window.from, placed.window.to), placed, range);
}

async function readPage(
  session: ReadSession,
  logs: readonly MinedLog[],
  placed: Placed,
  range: IndexedRange | undefined,
): Promise<ReadPage> {
  return { logs, placed, range, kinds: await session.addresses.kinds(logs.flatMap(addressesOfLog)) };
}

/** Only where there are ABIs is the node asked whose code emitted a log. */
async function presentIndexed(context: Context, page: ReadPage): Promise<object> {
  const { decoder } = context;
  const by = decoder.deadline();
  const answer = await presentPage(context, page, by);
  return cacheable(by.isMissed ? undefined : decoder.hasAbis ? "state" : "index", answer);
}

async function presentPage(
  { decoder }: Context,
  { logs, kinds, placed, range }: ReadPage,
  by = decoder.deadline(),
): Promise<object> {
  const decoded = await decoder.logs(logs, range?.tip, by);
  return presentList(await mapInTurns(logs, (log, i) => presentLog(log, kinds, decoded[i])), placed);
}

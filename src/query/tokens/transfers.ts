import type { Bytes } from "../../chain/encoding/bytes.ts";
import { EMPTY, isZero } from "../../chain/encoding/bytes.ts";
import { ChainError } from "../../chain/error.ts";
import type { Decoder } from "../decode/decoder.ts";
import type { IndexedRange } from "../indexedRange.ts";
import { contains } from "../indexedRange.ts";
import type { SourceTransaction } from "../node/readThrough.ts";
import { hasTokens, readTokenRange } from "./tokenStage.ts";
import { mapInTurns } from "../../std/turn.ts";
import type { AccountKinds } from "../../store/accountKinds.ts";
import { mustHave } from "../../store/encoding.ts";
import type { OrdinalList } from "../../store/list.ts";
import { NO_LIST } from "../../store/list.ts";
import type { ReadSession } from "../../store/session.ts";
import type { KnownToken } from "../../store/tokens/tokenReads.ts";
import { ZERO_ADDRESS_ID } from "../../store/tokens/transferIds.ts";
import type { MinedTransfer } from "../../store/tokens/transferReads.ts";
import type { MinedTransaction } from "../../store/transactions.ts";
import type { Context } from "../context.ts";
import { cacheable } from "../../api/http/responseCache.ts";
import type { Placed } from "../../api/rest/envelope.ts";
import { presentList } from "../../api/rest/envelope.ts";
import { notFound } from "../../api/rest/errors.ts";
import { placeInBlock, readForwardPage, readOrdinalPage } from "../pages.ts";
import type { PageRequest, Query } from "../../api/rest/params.ts";
import { parseAddress, parseBlockPage, parseHash, parsePage } from "../../api/rest/params.ts";
import { listedInput } from "../../api/rest/transactions/presentTransaction.ts";
import { presentTransfer } from "../../api/rest/tokens/presentTransfer.ts";
import { readToken } from "./token.ts";

/** The transfers of a token, newest first. */
export function serveTokenTransfers(context: Context, text: string, query: Query): Promise<object> {
  const address = parseAddress(text);
  return serveTransfers(context, query, async (session) =>
    session.tokens.transfers.ofToken((await readToken(session, address)).id),
  );
}

/** The transfers from or to an address, newest first; with `token`, those of one token. */
export function serveAddressTransfers(context: Context, text: string, query: Query): Promise<object> {
  const address = parseAddress(text);
  const token = query.token === undefined ? undefined : parseAddress(String(query.token), "token");
  return serveTransfers(context, query, (session) =>
    token === undefined ? transfersOfAddress(session, address) : ofPair(session, address, token),
  );
}

/** The transfers of a transaction, in the order of its logs. One that waits has none yet. */
export async function serveTransactionTransfers(context: Context, text: string, query: Query): Promise<object> {
  const hash = parseHash(text);
  const request = parseBlockPage(query);
  const { store } = context;
  const known = await store.read((session) => readTransactionPage(session, hash, request));
  if (known !== undefined) return cacheable("index", await presentPage(context, known));
  const sent = await context.readThrough?.transaction(hash);
  if (sent === undefined) throw notFound();
  const page = await store.read(
    async (session) => (await readTransactionPage(session, hash, request)) ?? readSentPage(session, sent, request),
  );
  return presentPage(context, page);
}

async function readTransactionPage(
  session: ReadSession,
  hash: Bytes,
  request: PageRequest<Bytes>,
): Promise<TransferPage | undefined> {
  const mined = await session.transactions.byHash(hash);
  if (mined === undefined) return undefined;
  const range = await readTokenRange(session);
  const list = session.tokens.transfers.ofTransaction(mined.block.header.number, mined.index);
  const { placed, positions } = await readForwardPage(list, range, request, mined.block.header);
  return { placed, ...(await readTransfers(session, positions, mined)) };
}

async function readSentPage(
  session: ReadSession,
  { block }: SourceTransaction,
  request: PageRequest<Bytes>,
): Promise<TransferPage> {
  const range = await readTokenRange(session);
  if (block === undefined) {
    return { placed: placeInBlock(0, range, request, undefined), ...(await readTransfers(session, [])) };
  }
  const { number } = block.header;
  if (contains(range, number)) throw notFound();
  throw new ChainError("stage_behind", `Block ${number} is not indexed. The index is at block ${range?.tip.number}.`);
}

/** Transfers that a transaction's own record shows. */
const MOST_SHOWN = 10;

/** What a transaction's record says of its transfers; nothing where the tokens stage is not as far. */
export async function readShownTransfers(
  context: Context,
  session: ReadSession,
  range: IndexedRange | undefined,
  mined: MinedTransaction,
) {
  if (!(await hasTokens(session, range))) return {};
  const list = session.tokens.transfers.ofTransaction(mined.block.header.number, mined.index);
  const shown = await readTransfers(session, await list.slice(0, MOST_SHOWN), mined);
  return {
    token_transfers: await presentTransfers(context, shown),
    token_transfers_overflow: (await list.count()) > MOST_SHOWN,
  };
}

async function serveTransfers(
  context: Context,
  query: Query,
  find: (session: ReadSession) => Promise<OrdinalList>,
): Promise<object> {
  const { store } = context;
  const request = parsePage(query);
  const page = await store.read(async (session) => {
    const range = await readTokenRange(session);
    const { placed, positions } = await readOrdinalPage(await find(session), range, request);
    return { placed, ...(await readTransfers(session, positions)) };
  });
  return cacheable("index", await presentPage(context, page));
}

interface FoundTransfers {
  readonly transfers: readonly MinedTransfer[];
  readonly tokens: ReadonlyMap<number, KnownToken>;
  readonly kinds: AccountKinds;
}

interface TransferPage extends FoundTransfers {
  readonly placed: Placed;
}

async function readTransfers(
  session: ReadSession,
  positions: readonly number[],
  emitter?: MinedTransaction,
): Promise<FoundTransfers> {
  const transfers = await session.tokens.transfers.at(positions, emitter);
  const tokens = await session.tokens.byId(transfers.map(({ token }) => token));
  return { transfers, tokens, kinds: await session.addresses.kinds(transfers.flatMap(addressesOf)) };
}

async function presentPage(context: Context, page: TransferPage): Promise<object> {
  return presentList(await presentTransfers(context, page), page.placed);
}

async function presentTransfers({ decoder }: Context, found: FoundTransfers): Promise<object[]> {
  const { transfers, tokens, kinds } = found;
  const names = await namesIn(transfers, decoder);
  return mapInTurns(transfers, (transfer) => {
    const token = mustHave(tokens.get(transfer.token), `token ${transfer.token}`);
    return presentTransfer(transfer, token, kinds, names.get(transfer.mined.position));
  });
}

/** What their transactions called, by the positions of those; one may have made all transfers of a page. */
async function namesIn(
  transfers: readonly MinedTransfer[],
  decoder: Decoder,
): Promise<ReadonlyMap<number, string | undefined>> {
  const emitters = new Map(transfers.map(({ mined }) => [mined.position, mined.transaction]));
  const calls = [...emitters.values()].map((tx) => (tx.to === null ? EMPTY : listedInput(tx)));
  const names = await decoder.listedNames(calls);
  return new Map([...emitters.keys()].map((position, at) => [position, names[at]]));
}

export function addressesOf({ from, to, mined }: MinedTransfer): Bytes[] {
  const called = mined.transaction.to;
  return called === null ? [from, to] : [from, to, called];
}

export async function transfersOfAddress(session: ReadSession, address: Bytes): Promise<OrdinalList> {
  const id = isZero(address) ? ZERO_ADDRESS_ID : await session.addresses.id(address);
  return id === undefined ? NO_LIST : session.tokens.transfers.ofAddress(id);
}

async function ofPair(session: ReadSession, address: Bytes, token: Bytes): Promise<OrdinalList> {
  if (isZero(address))
    throw new ChainError("unsupported", "what the zero address mints and burns has no list by token");
  const [holder, asset] = [await session.addresses.id(address), await session.addresses.id(token)];
  return holder === undefined || asset === undefined ? NO_LIST : session.tokens.transfers.ofPair(holder, asset);
}

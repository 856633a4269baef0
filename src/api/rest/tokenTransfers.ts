import type { Bytes } from "../../chain/bytes.ts";
import { isZero } from "../../chain/bytes.ts";
import { ChainError } from "../../chain/error.ts";
import type { OrdinalList } from "../../store/list.ts";
import { NO_LIST } from "../../store/list.ts";
import type { Store } from "../../store/store.ts";
import { ZERO_ADDRESS_ID } from "../../store/tokens/transferIds.ts";
import type { MinedTransfer } from "../../store/tokens/transferReads.ts";
import type { MinedTransaction } from "../../store/transactions.ts";
import type { Context } from "../context.ts";
import type { Decoder } from "../decode/decoder.ts";
import type { PageRequest, Query } from "../params.ts";
import { parseAddress, parseBlockPage, parseHash, parsePage } from "../params.ts";
import type { SourceTransaction } from "../readThrough.ts";
import { presentList } from "./envelope.ts";
import { notFound } from "./errors.ts";
import { placeInBlock, readForwardPage, readOrdinalPage } from "./ordinalPage.ts";
import { presentTransfer } from "./presentTransfer.ts";
import type { Reach } from "./reach.ts";
import { holds } from "./reach.ts";
import { hasTokens, readTokenReach } from "./tokenStage.ts";
import { readToken } from "./tokens.ts";

/** The transfers of a token, newest first. */
export function serveTokenTransfers(context: Context, text: string, query: Query): Promise<object> {
  const address = parseAddress(text);
  const { store } = context;
  return serveTransfers(context, query, async () =>
    store.tokens.transfers.ofToken((await readToken(store, address)).id),
  );
}

/** The transfers from or to an address, newest first; with `token`, those of one token. */
export function serveAddressTransfers(context: Context, text: string, query: Query): Promise<object> {
  const address = parseAddress(text);
  const { store } = context;
  const token = query.token === undefined ? undefined : parseAddress(String(query.token), "token");
  return serveTransfers(context, query, () =>
    token === undefined ? transfersOfAddress(store, address) : ofPair(store, address, token),
  );
}

/** The transfers of a transaction, in the order of its logs. One that waits has none yet. */
export async function serveTransactionTransfers(context: Context, text: string, query: Query): Promise<object> {
  const hash = parseHash(text);
  const request = parseBlockPage(query);
  const { store } = context;
  const known = await store.read(() => transactionPage(context, hash, request));
  if (known !== undefined) return known;
  const sent = await context.readThrough?.transaction(hash);
  if (sent === undefined) throw notFound();
  return store.read(async () => (await transactionPage(context, hash, request)) ?? sentPage(store, sent, request));
}

async function transactionPage(
  context: Context,
  hash: Bytes,
  request: PageRequest<Bytes>,
): Promise<object | undefined> {
  const { store } = context;
  const mined = await store.transactions.byHash(hash);
  if (mined === undefined) return undefined;
  const reach = await readTokenReach(store);
  const list = store.tokens.transfers.ofTransaction(mined.block.header.number, mined.index);
  const { placed, positions } = await readForwardPage(list, reach, request, mined.block.header);
  return presentList(await presentTransfers(context, positions, mined), placed);
}

async function sentPage(store: Store, { block }: SourceTransaction, request: PageRequest<Bytes>): Promise<object> {
  const reach = await readTokenReach(store);
  if (block === undefined) return presentList([], placeInBlock(0, reach, request, undefined));
  const { number } = block.header;
  if (holds(reach, number)) throw notFound();
  throw new ChainError("stage_behind", `Block ${number} is not indexed. The index is at block ${reach?.tip.number}.`);
}

/** Transfers that a transaction's own record shows. */
const MOST_SHOWN = 10;

/** What a transaction's record says of its transfers; nothing where the tokens stage is not as far. */
export async function readShownTransfers(context: Context, reach: Reach | undefined, mined: MinedTransaction) {
  const { store } = context;
  if (!(await hasTokens(store, reach))) return {};
  const list = store.tokens.transfers.ofTransaction(mined.block.header.number, mined.index);
  return {
    token_transfers: await presentTransfers(context, await list.slice(0, MOST_SHOWN), mined),
    token_transfers_overflow: (await list.count()) > MOST_SHOWN,
  };
}

async function serveTransfers(context: Context, query: Query, find: () => Promise<OrdinalList>): Promise<object> {
  const { store } = context;
  const request = parsePage(query);
  return store.read(async () => {
    const reach = await readTokenReach(store);
    const { placed, positions } = await readOrdinalPage(await find(), reach, request);
    return presentList(await presentTransfers(context, positions), placed);
  });
}

async function presentTransfers(
  { store, decoder }: Context,
  positions: readonly number[],
  emitter?: MinedTransaction,
): Promise<object[]> {
  const transfers = await store.tokens.transfers.at(positions, emitter);
  const tokens = await store.tokens.byId(transfers.map(({ token }) => token));
  const kinds = await store.addresses.kinds(transfers.flatMap(addressesOf));
  const names = namesIn(transfers, decoder);
  return transfers.map((transfer) =>
    presentTransfer(transfer, tokens.get(transfer.token)!, kinds, names.get(transfer.mined.position)),
  );
}

/** What their transactions called, by the positions of those; one may have made all transfers of a page. */
function namesIn(transfers: readonly MinedTransfer[], decoder: Decoder): ReadonlyMap<number, string | undefined> {
  const names = new Map<number, string | undefined>();
  for (const { mined } of transfers) {
    if (names.has(mined.position)) continue;
    names.set(mined.position, mined.transaction.to === null ? undefined : decoder.listedName(mined.transaction.input));
  }
  return names;
}

export function addressesOf({ from, to, mined }: MinedTransfer): Bytes[] {
  const called = mined.transaction.to;
  return called === null ? [from, to] : [from, to, called];
}

export async function transfersOfAddress(store: Store, address: Bytes): Promise<OrdinalList> {
  const id = isZero(address) ? ZERO_ADDRESS_ID : await store.addresses.id(address);
  return id === undefined ? NO_LIST : store.tokens.transfers.ofAddress(id);
}

async function ofPair(store: Store, address: Bytes, token: Bytes): Promise<OrdinalList> {
  if (isZero(address))
    throw new ChainError("unsupported", "what the zero address mints and burns has no list by token");
  const [holder, asset] = [await store.addresses.id(address), await store.addresses.id(token)];
  return holder === undefined || asset === undefined ? NO_LIST : store.tokens.transfers.ofPair(holder, asset);
}

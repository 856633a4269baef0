import type { Header } from "../chain/block/header.ts";
import type { Bytes } from "../chain/encoding/bytes.ts";
import { checksumAddress } from "../chain/encoding/checksum.ts";
import { toHex } from "../chain/encoding/hex.ts";
import { readIndexedRange } from "./indexedRange.ts";
import { hasTokens } from "./tokens/tokenStage.ts";
import type { BlockView, TransactionView } from "./transactions/transactionView.ts";
import { viewMined } from "./transactions/transactionView.ts";
import { mustHave } from "../store/encoding.ts";
import type { ReadSession } from "../store/session.ts";
import type { NameMatch } from "../store/tokens/nameReads.ts";
import { MOST_MATCHES } from "../store/tokens/nameReads.ts";
import type { Context } from "./context.ts";
import type { Shape } from "../api/openapi/values.ts";
import { findBlock } from "./blocks/block.ts";
import type { Envelope } from "../api/rest/envelope.ts";
import { presentRanked } from "../api/rest/envelope.ts";
import type { PageRequest, Query, RankCursor } from "../api/rest/params.ts";
import { parseRankedPage } from "../api/rest/params.ts";
import { findTransaction } from "./transactions/transaction.ts";
import {
  presentFoundAddress,
  presentFoundBlob,
  presentFoundBlock,
  presentFoundToken,
  presentFoundTransaction,
} from "../api/rest/search/presentSearchResult.ts";
import type { SearchQuery } from "../api/rest/search/searchQuery.ts";
import { parseSearchQuery } from "../api/rest/search/searchQuery.ts";
import type { RedirectSchema } from "../api/rest/search/searchResultSchema.ts";

/** What a query names by its own number or hash. A blob comes with the block of the newest transaction that names it. */
type Exact =
  | { readonly block: BlockView }
  | { readonly transaction: TransactionView }
  | { readonly blob: Bytes; readonly newest: Header };

type Match = (Exact | { readonly token: number } | { readonly address: Bytes }) & { readonly key: RankCursor["key"] };

/** What a query finds, the best first (specification, section 4.1). */
export function serveSearch(context: Context, query: Query): Promise<Envelope<object>> {
  return search(context, parseSearchQuery(query), parseRankedPage(query));
}

export const MOST_QUICK = 50;

/** The first of what a query finds, for suggestions while somebody types. */
export async function serveQuickSearch(context: Context, query: Query): Promise<object> {
  const first = { page: 1, pageSize: MOST_QUICK, anchor: undefined };
  return (await search(context, parseSearchQuery(query), first)).items;
}

type Redirect = Shape<typeof RedirectSchema>;

/** Where to go at once, for a query that can only mean one thing. */
export async function serveRedirect(context: Context, query: Query): Promise<Redirect> {
  const searchQuery = parseSearchQuery(query);
  const go = (type: Redirect["type"], parameter: string) => ({ redirect: true, type, parameter });
  if (searchQuery.address !== undefined) return go("address", checksumAddress(searchQuery.address));
  const exact = await findExact(context, searchQuery);
  if (exact === undefined) return { redirect: false, type: null, parameter: null };
  if ("block" in exact) return go("block", toHex(exact.block.header.hash));
  if ("blob" in exact) return go("blob", toHex(exact.blob));
  return go("transaction", toHex(exact.transaction.transaction.hash));
}

async function search(
  context: Context,
  searchQuery: SearchQuery,
  request: PageRequest<RankCursor>,
): Promise<Envelope<object>> {
  const { store } = context;
  const exact = await findExact(context, searchQuery);
  return store.read(async (session) => {
    const range = await readIndexedRange(session);
    const known = await readMatches(session, searchQuery, await hasTokens(session, range));
    const matches = [...(exact === undefined ? [] : [{ ...exact, key: FIRST }]), ...known].slice(0, MOST_MATCHES);
    const from = firstAfterCursor(matches, request);
    const shown = matches.slice(from, from + request.pageSize);
    const last = from + request.pageSize < matches.length ? shown.at(-1)?.key : undefined;
    const around = { total: matches.length, block: range?.tip.number ?? null, since: range?.first ?? null };
    return presentRanked(await presentMatches(session, shown), { request, last, ...around });
  });
}

/** From the index, or from the node where the index does not range. */
async function findExact(context: Context, searchQuery: SearchQuery): Promise<Exact | undefined> {
  const indexed = await context.store.read((session) => readExact(session, searchQuery));
  if (indexed !== undefined) return indexed;
  const { hash, number } = searchQuery;
  const transaction = hash && (await findTransaction(context, hash));
  if (transaction !== undefined) return { transaction: transaction.view };
  const id = hash ?? number;
  const block = id === undefined ? undefined : await findBlock(context, id);
  return block && { block: block.view };
}

async function readExact(session: ReadSession, { hash, number }: SearchQuery): Promise<Exact | undefined> {
  const mined = hash && (await session.transactions.byHash(hash));
  if (mined !== undefined) return { transaction: viewMined(mined) };
  const byHash = hash && (await session.blocks.byHash(hash));
  const block = number === undefined ? byHash : await session.blocks.byNumber(number);
  if (block !== undefined) return { block };
  const [naming] = hash === undefined ? [] : await session.transactions.namingBlob(hash, MOST_ALIKE);
  return naming && { blob: hash!, newest: naming.block.header };
}

/** Blobs whose hashes begin alike are looked through for the one that is meant. */
const MOST_ALIKE = 10;

const FIRST: RankCursor["key"] = [0n, 0];
const SECOND: RankCursor["key"] = [1n, 0];

/** An address is found whether or not it was ever seen, as its own path answers for it too. */
async function readMatches(
  session: ReadSession,
  { address, text }: SearchQuery,
  areTokensThere: boolean,
): Promise<Match[]> {
  if (address === undefined) {
    const found = text !== undefined && areTokensThere ? await session.tokens.names.find(text) : [];
    return found.map((match) => ({ token: match.token, key: keyOf(match) }));
  }
  const id = areTokensThere ? await session.addresses.id(address) : undefined;
  const isToken = id !== undefined && (await session.tokens.byId([id])).has(id);
  return [...(isToken ? [{ token: id, key: FIRST }] : []), { address, key: SECOND }];
}

/** By rank, then the most holders, then the first seen: above the keys of what is found exactly. */
export function keyOf({ rank, holders, token }: NameMatch): RankCursor["key"] {
  return [(BigInt(rank + 1) << 53n) + BigInt(Number.MAX_SAFE_INTEGER - holders), token];
}

/** After the mark, wherever that is by now; without one, at the page's own rank. */
export function firstAfterCursor(
  matches: readonly Pick<Match, "key">[],
  { page, pageSize, anchor }: PageRequest<RankCursor>,
): number {
  if (anchor === undefined) return (page - 1) * pageSize;
  const [first, second] = anchor.key;
  const found = matches.findIndex(({ key }) => key[0] > first || (key[0] === first && key[1] > second));
  return found < 0 ? matches.length : found;
}

async function presentMatches(session: ReadSession, matches: readonly Match[]): Promise<object[]> {
  const tokens = await session.tokens.byId(matches.flatMap((match) => ("token" in match ? [match.token] : [])));
  const symbols = [...tokens.values()].map(({ seen }) => seen?.symbol.text ?? "");
  const mostHolders = await session.tokens.names.mostHolders(symbols.filter((symbol) => symbol !== ""));
  const kinds = await session.addresses.kinds(matches.flatMap((match) => ("address" in match ? [match.address] : [])));
  return matches.map((match) => {
    if ("block" in match) return presentFoundBlock(match.block);
    if ("blob" in match) return presentFoundBlob(match.blob, match.newest);
    if ("transaction" in match) return presentFoundTransaction(match.transaction);
    if ("address" in match) return presentFoundAddress(match.address, kinds);
    const token = mustHave(tokens.get(match.token), `token ${match.token}`);
    return presentFoundToken(token, mostHolders.get(token.seen?.symbol.text ?? "") ?? 0);
  });
}

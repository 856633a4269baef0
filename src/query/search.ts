import type { Header } from "../chain/block/header.ts";
import type { Bytes } from "../chain/encoding/bytes.ts";
import { fromHex } from "../chain/encoding/hex.ts";
import type { AddressInfos } from "../store/read/addressInfos.ts";
import { mustHave } from "../store/rows/encoding.ts";
import type { ReadSession } from "../store/session.ts";
import { MAX_MATCHES } from "../store/stages/tokens/read/nameReads.ts";
import type { KnownToken } from "../store/stages/tokens/read/tokenReads.ts";
import { findBlock, readBlock } from "./blocks/block.ts";
import type { QueryContext } from "./context.ts";
import { readIndexedRange } from "./indexedRange.ts";
import type { PageInfo, PageRequest, RankCursor } from "./pages.ts";
import { firstAfterCursor, rankedPageInfo } from "./pages.ts";
import { byRankKey } from "./ranking/rankKeys.ts";
import type { SearchQuery } from "./searchQuery.ts";
import { hasTokens } from "./stageRanges.ts";
import { rankKeyOf } from "./tokens/tokenSearch.ts";
import { findTransaction } from "./transactions/transaction.ts";

/** Exact match by number or hash. A blob comes with the block of its newest transaction. */
export type ExactResult =
  | { readonly kind: "block"; readonly header: Header }
  /** Without a header if pending. */
  | { readonly kind: "transaction"; readonly hash: Bytes; readonly header: Header | undefined }
  | { readonly kind: "blob"; readonly versionedHash: Bytes; readonly newest: Header };

export type SearchResult =
  | ExactResult
  /** `mostHolders` is the maximum over tokens with this symbol. */
  | { readonly kind: "token"; readonly token: KnownToken; readonly maxHolders: number }
  | FoundContract
  | { readonly kind: "address"; readonly address: Bytes };

/** By name in verified source. */
export interface FoundContract {
  readonly kind: "contract";
  readonly address: Bytes;
  readonly name: string;
}

export interface SearchPage {
  readonly results: readonly SearchResult[];
  readonly addresses: AddressInfos;
  readonly info: PageInfo;
}

type Match = (
  | ExactResult
  | { readonly kind: "token"; readonly id: number }
  | FoundContract
  | { readonly kind: "address"; readonly address: Bytes }
) & {
  readonly key: RankCursor["key"];
};

export async function search(
  context: QueryContext,
  query: SearchQuery,
  request: PageRequest<RankCursor>,
): Promise<SearchPage> {
  const [exact, contracts] = await Promise.all([findExact(context, query), findContracts(context, query)]);
  return context.store.read(async (session) => {
    const range = await readIndexedRange(session);
    const known = await readMatches(session, query, await hasTokens(session, range));
    const named = [...known, ...contracts].sort(byRankKey);
    const matches = [...(exact === undefined ? [] : [{ ...exact, key: FIRST }]), ...named].slice(0, MAX_MATCHES);
    const from = firstAfterCursor(matches, request);
    const shown = matches.slice(from, from + request.pageSize);
    const last = from + request.pageSize < matches.length ? shown.at(-1)?.key : undefined;
    return { ...(await readResults(session, shown)), info: rankedPageInfo(request, range, matches.length, last) };
  });
}

/** An unambiguous match, from the index or the node. */
export async function findExact(context: QueryContext, query: SearchQuery): Promise<ExactResult | undefined> {
  const indexed = await context.store.read((session) => readExact(session, query));
  if (indexed !== undefined) return indexed;
  const { hash, number } = query;
  const found = hash && (await findTransaction(context, hash));
  if (found !== undefined) return { kind: "transaction", hash: found.transaction.hash, header: found.outcome?.header };
  const id = hash ?? number;
  const block = id === undefined ? undefined : await findBlock(context, id);
  return block && { kind: "block", header: block.block.header };
}

async function readExact(session: ReadSession, { hash, number }: SearchQuery): Promise<ExactResult | undefined> {
  const id = number ?? hash;
  const [mined, block] = await Promise.all([
    hash && session.transactions.byHash(hash),
    id === undefined ? undefined : readBlock(session, id),
  ]);
  if (mined !== undefined) return { kind: "transaction", hash: mined.transaction.hash, header: mined.block.header };
  if (block !== undefined) return { kind: "block", header: block.header };
  const [naming] = hash === undefined ? [] : await session.transactions.namingBlob(hash, MAX_ALIKE);
  return hash && naming && { kind: "blob", versionedHash: hash, newest: naming.block.header };
}

/** Blobs with equal hash prefixes to check. */
const MAX_ALIKE = 10;

const FIRST: RankCursor["key"] = [0n, 0];
const SECOND: RankCursor["key"] = [1n, 0];

/** After equally good tokens, newest first. */
async function findContracts({ sources }: QueryContext, { text }: SearchQuery): Promise<Match[]> {
  const found = text === undefined ? [] : ((await sources?.verifiedContracts.find(text)) ?? []);
  return found.map(({ contract: { address, name, id }, rank }) => ({
    kind: "contract",
    address: fromHex(address),
    name,
    key: [(BigInt(rank + RANK_OF_NAME + 1) << 53n) + LAST, Number.MAX_SAFE_INTEGER - id],
  }));
}

/** Rank of an exact name; an exact symbol ranks higher. */
const RANK_OF_NAME = 1;
/** Sort key of a token without holders. */
const LAST = BigInt(Number.MAX_SAFE_INTEGER);

/** Any valid address matches, seen or not. */
async function readMatches(
  session: ReadSession,
  { address, text }: SearchQuery,
  areTokensThere: boolean,
): Promise<Match[]> {
  if (address === undefined) {
    const found = text !== undefined && areTokensThere ? await session.tokens.names.find(text) : [];
    return found.map((match) => ({ kind: "token", id: match.token, key: rankKeyOf(match) }));
  }
  const id = areTokensThere ? await session.addresses.id(address) : undefined;
  const isToken = id !== undefined && (await session.tokens.byId([id])).has(id);
  const itself = { kind: "address" as const, address, key: SECOND };
  return isToken ? [{ kind: "token", id, key: FIRST }, itself] : [itself];
}

async function readResults(
  { tokens, addresses }: ReadSession,
  matches: readonly Match[],
): Promise<Pick<SearchPage, "results" | "addresses">> {
  const found = await tokens.byId(matches.flatMap((match) => (match.kind === "token" ? [match.id] : [])));
  const symbols = [...found.values()].map(({ seen }) => seen?.symbol.text ?? "");
  const own = matches.flatMap((match) => ("address" in match ? [match.address] : []));
  const [maxHolders, infos] = await Promise.all([
    tokens.names.maxHoldersBySymbol(symbols.filter((symbol) => symbol !== "")),
    addresses.infos([...own, ...[...found.values()].map(({ address }) => address)]),
  ]);
  const results = matches.map((match): SearchResult => {
    if (match.kind !== "token") return match;
    const token = mustHave(found.get(match.id), `token ${match.id}`);
    return { kind: "token", token, maxHolders: maxHolders.get(token.seen?.symbol.text ?? "") ?? 0 };
  });
  return { results, addresses: infos };
}

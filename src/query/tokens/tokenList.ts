import type { TokenKind } from "../../chain/token/tokenTransfer.ts";
import { readTokenRange } from "./tokenStage.ts";
import { mustHave } from "../../store/encoding.ts";
import type { ReadSession } from "../../store/session.ts";
import type { RankedToken, RankOrder } from "../../store/tokens/rankReads.ts";
import { MOST_MERGED } from "../../store/tokens/rankReads.ts";
import { typeOf } from "../../store/tokens/tokenState.ts";
import { KINDS } from "../../store/tokens/transferBody.ts";
import type { Context } from "../context.ts";
import { cacheable } from "../../api/http/responseCache.ts";
import type { Envelope } from "../../api/rest/envelope.ts";
import { presentRanked } from "../../api/rest/envelope.ts";
import { ORDERS, TOKEN_SORTS } from "../../api/rest/parameters.ts";
import type { PageRequest, Query, RankCursor } from "../../api/rest/params.ts";
import { ParameterError, parseChoice, parseRankedPage } from "../../api/rest/params.ts";
import { firstAfterCursor, keyOf } from "../search.ts";
import type { SearchQuery } from "../../api/rest/search/searchQuery.ts";
import { parseSearchQuery } from "../../api/rest/search/searchQuery.ts";
import { presentToken } from "../../api/rest/tokens/presentToken.ts";

/** Some tokens of a list, and the key of the last where others follow. */
interface TokenPage {
  readonly tokens: readonly number[];
  readonly total: number;
  readonly last: RankCursor["key"] | undefined;
}

/** The tokens by their holders; with `q`, those that a search finds. */
export function serveTokens({ store }: Context, query: Query): Promise<Envelope<object>> {
  const request = parseRankedPage(query);
  const kinds = parseKinds(query.type);
  const order = parseOrder(query);
  const isBlank = query.q === undefined || (typeof query.q === "string" && query.q.trim() === "");
  const searchQuery = isBlank ? undefined : parseSearchQuery(query);
  return store.read(async (session) => {
    const range = await readTokenRange(session);
    const { tokens, total, last } =
      searchQuery === undefined
        ? await readRanked(session, kinds, order, request)
        : await readFound(session, searchQuery, kinds, request);
    const known = await session.tokens.byId(tokens);
    const items = tokens.map((token) => presentToken(mustHave(known.get(token), `token ${token}`)));
    const around = { block: range?.tip.number ?? null, since: range?.first ?? null };
    return cacheable("index", presentRanked(items, { request, total, last, ...around }));
  });
}

/** Standards that other explorers know. No transfer here is of these. */
const FOREIGN = ["ERC-404", "ERC-7984"];

function parseKinds(value: unknown): readonly TokenKind[] {
  if (value === undefined || value === "") return KINDS;
  const words = typeof value === "string" ? value.split(",") : [""];
  const isKnown = (word: string) => FOREIGN.includes(word) || KINDS.some((kind) => kind === word);
  if (!words.every(isKnown)) throw new ParameterError("type", `some of ${KINDS.join(",")}`);
  return KINDS.filter((kind) => words.includes(kind));
}

/** Without prices all tokens are equal by what they are worth. */
function parseOrder(query: Query): RankOrder {
  const sort = parseChoice(query, "sort", TOKEN_SORTS);
  const order = parseChoice(query, "order", ORDERS);
  return sort === "holders_count" ? order : "desc";
}

/** One token more than is shown tells whether others follow. Wrapped coins, which no transfer ranks, come after all others. */
async function readRanked(
  session: ReadSession,
  kinds: readonly TokenKind[],
  order: RankOrder,
  { page, pageSize, anchor }: PageRequest<RankCursor>,
): Promise<TokenPage> {
  const { ranks } = session.tokens;
  const coins = kinds.includes("ERC-20") ? await session.tokens.coins() : [];
  const [count, rank] = [await ranks.count(kinds), (page - 1) * pageSize];
  const place = [kinds, rank, pageSize + 1, count] as const;
  if (anchor === undefined && ranks.isFar(...place)) {
    throw new ParameterError("page", `a page within ${MOST_MERGED} tokens of an end of the list, or its anchor`);
  }
  const found = await readAfter(session, place, order, anchor);
  const isPassed = (coin: number, at: number) =>
    anchor === undefined ? count + at < rank : anchor.key[0] === COIN_KEY && coin <= anchor.key[1];
  const rest = coins.filter((coin, at) => !isPassed(coin, at)).map((token) => ({ token, key: COIN_KEY }));
  const ranked = found.map(({ token, holders }) => ({ token, key: BigInt(holders) }));
  const listed = [...ranked, ...rest].slice(0, pageSize + 1);
  const shown = listed.slice(0, pageSize);
  const end = listed.length > pageSize ? shown.at(-1) : undefined;
  return {
    tokens: shown.map(({ token }) => token),
    total: count + coins.length,
    last: end && [end.key, end.token],
  };
}

/** Stands in the mark of a wrapped coin for its holders: no token has as many. */
const COIN_KEY = 2n ** 53n;

async function readAfter(
  { tokens: { ranks } }: ReadSession,
  place: readonly [kinds: readonly TokenKind[], rank: number, limit: number, count: number],
  order: RankOrder,
  anchor: RankCursor | undefined,
): Promise<RankedToken[]> {
  if (anchor === undefined) return ranks.fromRank(...place, order);
  if (anchor.key[0] === COIN_KEY) return [];
  const [kinds, , limit] = place;
  return ranks.after(kinds, { holders: Number(anchor.key[0]), token: anchor.key[1] }, limit, order);
}

async function readFound(
  session: ReadSession,
  searchQuery: SearchQuery,
  kinds: readonly TokenKind[],
  request: PageRequest<RankCursor>,
): Promise<TokenPage> {
  const matches = (await findTokens(session, searchQuery)).map((match) => ({ token: match.token, key: keyOf(match) }));
  const known = await session.tokens.byId(matches.map(({ token }) => token));
  const isOfKind = ({ token }: { token: number }) => {
    const state = known.get(token)?.state;
    return state !== undefined && kinds.includes(typeOf(state));
  };
  const fitting = matches.filter(isOfKind);
  const from = firstAfterCursor(fitting, request);
  const shown = fitting.slice(from, from + request.pageSize);
  const last = from + request.pageSize < fitting.length ? shown.at(-1)?.key : undefined;
  return { tokens: shown.map(({ token }) => token), total: fitting.length, last };
}

async function findTokens(session: ReadSession, { address, text }: SearchQuery) {
  if (text !== undefined) return session.tokens.names.find(text);
  const token = address && (await session.addresses.id(address));
  return token === undefined ? [] : [{ token, rank: 0, holders: 0 }];
}

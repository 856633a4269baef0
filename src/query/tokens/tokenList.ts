import type { TokenKind } from "../../chain/token/tokenTransfer.ts";
import { mustHave } from "../../store/rows/encoding.ts";
import type { ReadSession } from "../../store/session.ts";
import type { RankedToken, RankOrder } from "../../store/stages/tokens/read/rankReads.ts";
import { MAX_MERGED } from "../../store/stages/tokens/read/rankReads.ts";
import type { KnownToken } from "../../store/stages/tokens/read/tokenReads.ts";
import { typeOf } from "../../store/stages/tokens/tables/tokenState.ts";
import { KINDS } from "../../store/stages/tokens/tables/transferBody.ts";
import type { QueryContext } from "../context.ts";
import type { UnitPrices } from "../exchange/rates.ts";
import { readUnitPrices } from "../exchange/rates.ts";
import { frontedList } from "../frontedList.ts";
import type { PageInfo, PageRequest, RankCursor } from "../pages.ts";
import { firstAfterCursor, rankedPageInfo } from "../pages.ts";
import { byRankKey } from "../ranking/rankKeys.ts";
import type { SearchQuery } from "../searchQuery.ts";
import { readTokenRange } from "../stageRanges.ts";
import { rankKeyOf, searchTokens } from "./tokenSearch.ts";
import type { TokenSort } from "./tokenValues.ts";
import { COIN_KEY, rankedTokens, TOKEN_ORDER, valueTokens } from "./tokenValues.ts";

export const TOKEN_KINDS: readonly TokenKind[] = KINDS;

/** Filter and order of the token list. */
export interface TokenFilter {
  readonly kinds: readonly TokenKind[];
  readonly order: RankOrder;
  /** Priced tokens first, by price or market value. */
  readonly sort: TokenSort;
  /** Restricts to matches, in match order. */
  readonly query: SearchQuery | undefined;
}

interface TokenPage {
  readonly tokens: readonly KnownToken[];
  readonly info: PageInfo;
}

/** Without a cursor, merged lists can only be paged this far from either end. */
export const MAX_TOKENS_FROM_END = MAX_MERGED;

/** Undefined if the page is too far from both ends to be found without a cursor. */
export async function listTokens(
  context: QueryContext,
  filter: TokenFilter,
  request: PageRequest<RankCursor>,
  prices?: UnitPrices,
): Promise<TokenPage | undefined> {
  const unitPrices = filter.sort === "holders_count" ? undefined : (prices ?? (await readUnitPrices(context)));
  return context.store.read(async (session) => {
    const range = await readTokenRange(session);
    const valued = unitPrices && (await valueTokens(session, filter, unitPrices));
    const page =
      filter.query === undefined
        ? await (valued === undefined
            ? readRanked(session, filter, request)
            : readValued(session, filter.kinds, valued, request))
        : await readFound(session, filter.query, filter.kinds, request, valued);
    if (page === undefined) return undefined;
    const known = await session.tokens.byId(page.ids);
    const tokens = page.ids.map((id) => mustHave(known.get(id), `token ${id}`));
    return { tokens, info: rankedPageInfo(request, range, page.total, page.last) };
  });
}

/** Tokens and the key of the last if others follow. */
interface ReadPage {
  readonly ids: readonly number[];
  readonly total: number;
  readonly last: RankCursor["key"] | undefined;
}

/** Reads one more, to tell whether another page follows. Wrapped coins without transfers come last. */
async function readRanked(
  { tokens }: ReadSession,
  { kinds, order }: TokenFilter,
  { page, pageSize, cursor }: PageRequest<RankCursor>,
): Promise<ReadPage | undefined> {
  const rank = (page - 1) * pageSize;
  const [coins, count] = await Promise.all([kinds.includes("ERC-20") ? tokens.coins() : [], tokens.ranks.count(kinds)]);
  const window = [kinds, rank, pageSize + 1, count] as const;
  if (cursor === undefined && tokens.ranks.isFar(...window)) return undefined;
  const found = await readAfter(tokens, window, order, cursor);
  const isPassed = (coin: number, at: number) =>
    cursor === undefined ? count + at < rank : cursor.key[0] === COIN_KEY && coin <= cursor.key[1];
  const rest = coins.filter((coin, at) => !isPassed(coin, at)).map((id) => ({ id, key: COIN_KEY }));
  const ranked = found.map(({ token, holders }) => ({ id: token, key: BigInt(holders) }));
  const listed = [...ranked, ...rest].slice(0, pageSize + 1);
  const shown = listed.slice(0, pageSize);
  const end = listed.length > pageSize ? shown.at(-1) : undefined;
  return { ids: shown.map(({ id }) => id), total: count + coins.length, last: end && [end.key, end.id] };
}

async function readAfter(
  { ranks }: ReadSession["tokens"],
  window: readonly [kinds: readonly TokenKind[], rank: number, limit: number, count: number],
  order: RankOrder,
  cursor: RankCursor | undefined,
): Promise<RankedToken[]> {
  if (cursor === undefined) return ranks.fromRank(...window, order);
  if (cursor.key[0] === COIN_KEY) return [];
  const [kinds, , limit] = window;
  return ranks.after(kinds, { holders: Number(cursor.key[0]), token: cursor.key[1] }, limit, order);
}

/** Priced tokens first, then by holders. */
async function readValued(
  { tokens }: ReadSession,
  kinds: readonly TokenKind[],
  valued: readonly number[],
  { page, pageSize, cursor }: PageRequest<RankCursor>,
): Promise<ReadPage | undefined> {
  const { list, total, itemOf } = await rankedTokens(tokens, kinds);
  const rank = (page - 1) * pageSize;
  if (cursor === undefined && tokens.ranks.isFar(kinds, Math.max(rank - valued.length, 0), pageSize + 1, total)) {
    return undefined;
  }
  const whole = frontedList(list, await itemOf(valued), TOKEN_ORDER);
  const last = cursor && { id: cursor.key[1], key: cursor.key[0] };
  const found = await (last === undefined ? whole.fromRank(rank, pageSize + 1) : whole.after(last, pageSize + 1));
  const shown = found.slice(0, pageSize);
  const end = found.length > pageSize ? shown.at(-1) : undefined;
  return { ids: shown.map(({ id }) => id), total, last: end && [end.key, end.id] };
}

/** Matches, priced ones first. */
async function readFound(
  session: ReadSession,
  query: SearchQuery,
  kinds: readonly TokenKind[],
  request: PageRequest<RankCursor>,
  valued: readonly number[] = [],
): Promise<ReadPage> {
  const places = new Map(valued.map((id, at) => [id, at]));
  const matches = (await searchTokens(session, query))
    .map((match) => {
      const place = places.get(match.token);
      return { id: match.token, key: place === undefined ? rankKeyOf(match) : ([0n, place] as const) };
    })
    .sort(byRankKey);
  const known = await session.tokens.byId(matches.map(({ id }) => id));
  const fitting = matches.filter(({ id }) => {
    const state = known.get(id)?.state;
    return state !== undefined && kinds.includes(typeOf(state));
  });
  const from = firstAfterCursor(fitting, request);
  const shown = fitting.slice(from, from + request.pageSize);
  const last = from + request.pageSize < fitting.length ? shown.at(-1)?.key : undefined;
  return { ids: shown.map(({ id }) => id), total: fitting.length, last };
}

import type { TokenKind } from "../../chain/token/tokenTransfer.ts";
import { mustHave } from "../../store/rows/encoding.ts";
import type { ReadSession } from "../../store/session.ts";
import { typeOf } from "../../store/tokens/ledger/tokenState.ts";
import { KINDS } from "../../store/tokens/ledger/transferBody.ts";
import type { RankedToken, RankOrder } from "../../store/tokens/ranks/rankReads.ts";
import { MOST_MERGED } from "../../store/tokens/ranks/rankReads.ts";
import type { KnownToken } from "../../store/tokens/read/tokenReads.ts";
import type { QueryContext } from "../context.ts";
import type { PageInfo, PageRequest, RankCursor } from "../pages.ts";
import { firstAfterCursor, rankedPageInfo } from "../pages.ts";
import type { SearchQuery } from "../searchQuery.ts";
import { rankKeyOf, searchTokens } from "./tokenSearch.ts";
import { readTokenRange } from "./tokenStage.ts";

export const TOKEN_KINDS: readonly TokenKind[] = KINDS;

/** Which tokens are listed, and in which order of their holders. */
export interface TokenFilter {
  readonly kinds: readonly TokenKind[];
  readonly order: RankOrder;
  /** Those that it finds alone, in its own order. */
  readonly query: SearchQuery | undefined;
}

export interface TokenPage {
  readonly tokens: readonly KnownToken[];
  readonly info: PageInfo;
}

/** Without a cursor only pages within so many tokens of an end of the list can be read, where it is one of several kinds. */
export const MOST_TOKENS_FROM_END = MOST_MERGED;

/** The tokens by their holders; undefined where the page is too far from an end of the list to be found without a cursor. */
export function listTokens(
  { store }: QueryContext,
  filter: TokenFilter,
  request: PageRequest<RankCursor>,
): Promise<TokenPage | undefined> {
  return store.read(async (session) => {
    const range = await readTokenRange(session);
    const page =
      filter.query === undefined
        ? await readRanked(session, filter, request)
        : await readFound(session, filter.query, filter.kinds, request);
    if (page === undefined) return undefined;
    const known = await session.tokens.byId(page.ids);
    const tokens = page.ids.map((id) => mustHave(known.get(id), `token ${id}`));
    return { tokens, info: rankedPageInfo(request, range, page.total, page.last) };
  });
}

/** Some tokens of a list, and the key of the last where others follow. */
interface ReadPage {
  readonly ids: readonly number[];
  readonly total: number;
  readonly last: RankCursor["key"] | undefined;
}

/** One token more than is shown says whether others follow. Wrapped coins, which no transfer ranks, come after all others. */
async function readRanked(
  { tokens }: ReadSession,
  { kinds, order }: TokenFilter,
  { page, pageSize, cursor }: PageRequest<RankCursor>,
): Promise<ReadPage | undefined> {
  const coins = kinds.includes("ERC-20") ? await tokens.coins() : [];
  const [count, rank] = [await tokens.ranks.count(kinds), (page - 1) * pageSize];
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

/** Stands in the cursor of a wrapped coin for its holders: no token has as many. */
const COIN_KEY = 2n ** 53n;

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

async function readFound(
  session: ReadSession,
  query: SearchQuery,
  kinds: readonly TokenKind[],
  request: PageRequest<RankCursor>,
): Promise<ReadPage> {
  const matches = (await searchTokens(session, query)).map((match) => ({ id: match.token, key: rankKeyOf(match) }));
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

import { Type } from "typebox";
import { SEARCH_TEXT, TOKEN_ORDER, TOKEN_SEARCH_TEXT, TOKEN_SORT, TOKEN_TYPES } from "../parameters.ts";
import type { Route } from "../route.ts";
import { MOST_QUICK, serveQuickSearch, serveRedirect, serveSearch } from "../../../query/search.ts";
import {
  FoundAddressSchema,
  FoundBlobSchema,
  FoundBlockSchema,
  FoundTokenSchema,
  FoundTransactionSchema,
  RedirectSchema,
} from "../search/searchResultSchema.ts";
import { serveHolders } from "../../../query/tokens/holders.ts";
import { serveToken, serveTokenCounters } from "../../../query/tokens/token.ts";
import { serveTokens } from "../../../query/tokens/tokenList.ts";
import { HolderSchema, TokenCountersSchema, TokenSchema } from "./tokenSchema.ts";
import { serveTokenTransfers } from "../../../query/tokens/transfers.ts";
import { TransferSchema } from "./transferSchema.ts";

/** What is no token is not found, and the index of tokens may be off or behind. */
const OF_TOKENS = [404, 503] as const;

export const TOKEN_ROUTES: readonly Route[] = [
  {
    path: "/tokens",
    tag: "Tokens",
    summary: "a [list](#list) of the [tokens](#token), those with the most holders first",
    list: TokenSchema,
    parameters: [TOKEN_TYPES, TOKEN_SEARCH_TEXT, TOKEN_SORT, TOKEN_ORDER],
    fails: [503],
    serve: (context, { query }) => serveTokens(context, query),
  },
  {
    path: "/tokens/{address}",
    tag: "Tokens",
    summary: "one [token](#token)",
    record: TokenSchema,
    fails: OF_TOKENS,
    serve: (context, { parameter }) => serveToken(context, parameter),
  },
  {
    path: "/tokens/{address}/counters",
    tag: "Tokens",
    summary: "the [counters](#token-counters) of a token",
    record: TokenCountersSchema,
    fails: OF_TOKENS,
    serve: (context, { parameter }) => serveTokenCounters(context, parameter),
  },
  {
    path: "/tokens/{address}/holders",
    tag: "Tokens",
    summary: "a [list](#list) of the [holders](#holder) of a token, the largest first",
    list: HolderSchema,
    fails: OF_TOKENS,
    serve: (context, { parameter, query }) => serveHolders(context, parameter, query),
  },
  {
    path: "/tokens/{address}/transfers",
    tag: "Tokens",
    summary: "a [list](#list) of the [transfers](#token-transfer) of a token, newest first",
    list: TransferSchema,
    fails: OF_TOKENS,
    serve: (context, { parameter, query }) => serveTokenTransfers(context, parameter, query),
  },
];

const Found = Type.Union([
  FoundTokenSchema,
  FoundAddressSchema,
  FoundBlockSchema,
  FoundTransactionSchema,
  FoundBlobSchema,
]);

/** Blocks and transactions that are not indexed are asked of the node. */
const ASKS_THE_NODE = [502, 503] as const;

export const SEARCH_ROUTES: readonly Route[] = [
  {
    path: "/search",
    tag: "Search",
    summary: "a [list](#list) of the results of a [search](#search), the best first",
    list: Found,
    parameters: [SEARCH_TEXT],
    fails: ASKS_THE_NODE,
    serve: (context, { query }) => serveSearch(context, query),
  },
  {
    path: "/search/quick",
    tag: "Search",
    summary: `an array of the first ${MOST_QUICK} results of a search`,
    record: Type.Array(Found, { maxItems: MOST_QUICK }),
    parameters: [SEARCH_TEXT],
    fails: ASKS_THE_NODE,
    serve: (context, { query }) => serveQuickSearch(context, query),
  },
  {
    path: "/search/check-redirect",
    tag: "Search",
    summary: "the single page that a query leads to, if any: [redirect](#redirect)",
    record: RedirectSchema,
    parameters: [SEARCH_TEXT],
    fails: ASKS_THE_NODE,
    serve: (context, { query }) => serveRedirect(context, query),
  },
];

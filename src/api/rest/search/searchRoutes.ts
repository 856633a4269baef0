import type { QueryContext } from "../../../query/context.ts";
import { NO_RATES, readRates } from "../../../query/exchange/rates.ts";
import type { PageRequest, RankCursor } from "../../../query/pages.ts";
import { findExact, search } from "../../../query/search.ts";
import type { SearchQuery } from "../../../query/searchQuery.ts";
import { COSTS } from "../../http/rateLimit.ts";
import { Type } from "../../openapi/type.ts";
import { SEARCH_TEXT } from "../parameters.ts";
import { parseRankedPage, parseSearch } from "../params.ts";
import type { Route } from "../route.ts";
import { listRoute, recordRoute } from "../route.ts";
import { presentRedirect, presentSearchPage } from "./presentSearchResult.ts";
import { RedirectSchema, SearchResultSchema } from "./searchResultSchema.ts";

export const MAX_QUICK = 50;

const QUICK_PAGE = { page: 1, pageSize: MAX_QUICK, cursor: undefined };

/** Blocks and transactions that are not indexed are fetched from the node. */
const ASKS_THE_NODE = [502, 503] as const;

export const SEARCH_ROUTES: readonly Route[] = [
  listRoute({
    path: "/search",
    tag: "Search",
    cost: COSTS.search,
    summary: "a [list](#list) of the results of a [search](#search), the best first",
    list: SearchResultSchema,
    parameters: [SEARCH_TEXT],
    fails: ASKS_THE_NODE,
    serve: async ({ network }, { query }) => {
      const [text, request] = [parseSearch(query), parseRankedPage(query)];
      return servePage(network, text, request);
    },
  }),
  recordRoute({
    path: "/search/quick",
    tag: "Search",
    cost: COSTS.search,
    summary: `an array of the first ${MAX_QUICK} results of a search`,
    record: Type.Array(SearchResultSchema, { maxItems: MAX_QUICK }),
    parameters: [SEARCH_TEXT],
    fails: ASKS_THE_NODE,
    serve: async ({ network }, { query }) => (await servePage(network, parseSearch(query), QUICK_PAGE)).items,
  }),
  recordRoute({
    path: "/search/check-redirect",
    tag: "Search",
    cost: COSTS.search,
    summary: "the single page that a query leads to, if any: [redirect](#redirect)",
    record: RedirectSchema,
    parameters: [SEARCH_TEXT],
    fails: ASKS_THE_NODE,
    serve: async ({ network }, { query }) => {
      const asked = parseSearch(query);
      if (asked.address !== undefined) return presentRedirect({ kind: "address", address: asked.address });
      return presentRedirect(await findExact(network, asked));
    },
  }),
];

/** Prices are read only if there are tokens, since they may have to be computed. */
async function servePage(network: QueryContext, asked: SearchQuery, request: PageRequest<RankCursor>) {
  const page = await search(network, asked, request);
  const hasTokens = page.results.some(({ kind }) => kind === "token");
  return presentSearchPage(page, hasTokens ? await readRates(network) : NO_RATES);
}

import { listAdvanced } from "../../../query/advanced/advancedList.ts";
import { listMethods } from "../../../query/advanced/knownMethods.ts";
import { cacheable } from "../../http/responseCache.ts";
import { wholeList } from "../blockscoutLists.ts";
import { presentPage } from "../envelope.ts";
import { parseMergePage, parsePage } from "../params.ts";
import type { Route } from "../route.ts";
import { listRoute } from "../route.ts";
import { ADVANCED_PARAMETERS, METHOD_TEXT } from "./advancedParameters.ts";
import { ADVANCED_EXTRA, AdvancedItemSchema, MethodSchema } from "./advancedSchema.ts";
import { parseAdvancedFilter, parseMethodText } from "./parseAdvancedFilter.ts";
import { presentAdvancedPage, presentKnownMethod } from "./presentAdvanced.ts";

const tag = "Advanced filters";

/** Transactions, transfers and internal transactions. */
const LISTS = 3;

export const ADVANCED_ROUTES: readonly Route[] = [
  listRoute({
    path: "/advanced-filters",
    tag,
    summary:
      "a [list](#list) of the transactions, token transfers and internal transactions that [filters](#advanced-filters) want, newest first: [items](#advanced-filter-item)",
    list: AdvancedItemSchema,
    extra: ADVANCED_EXTRA,
    parameters: ADVANCED_PARAMETERS,
    fails: [503],
    serve: async ({ network }, { query }) => {
      const [filter, request] = [parseAdvancedFilter(query), parseMergePage(query, LISTS)];
      return presentAdvancedPage(await listAdvanced(network, filter, request));
    },
  }),
  listRoute({
    path: "/advanced-filters/methods",
    tag,
    summary: "a [list](#list) of the well-known [methods](#method), or of those that a text finds, by name",
    list: MethodSchema,
    isBare: true,
    parameters: [METHOD_TEXT],
    serve: async ({ network, settings }, { query }) => {
      const [text, request] = [parseMethodText(query), parsePage(wholeList(query, settings))];
      const { methods, info } = await listMethods(network, text, request);
      return cacheable("index", presentPage(methods.map(presentKnownMethod), info));
    },
  }),
];

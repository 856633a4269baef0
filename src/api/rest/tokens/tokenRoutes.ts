import { readRates } from "../../../query/exchange/rates.ts";
import { listTransfersOf } from "../../../query/tokens/filteredTransfers.ts";
import { listHoldersById } from "../../../query/tokens/itemHolders.ts";
import { findToken, readTokenCounters } from "../../../query/tokens/token.ts";
import { listTokens } from "../../../query/tokens/tokenList.ts";
import { listTokenTransfers, listTransfers } from "../../../query/tokens/transfers.ts";
import { cacheable } from "../../http/responseCache.ts";
import { presentPage } from "../envelope.ts";
import { expectFound } from "../errors.ts";
import { TOKEN_ORDER, TOKEN_SEARCH_TEXT, TOKEN_SORT, TOKEN_TYPES, TRANSFER_TYPE } from "../parameters.ts";
import { parseAddress, parsePage, parseRankedPage, parseWalkPage } from "../params.ts";
import type { Route } from "../route.ts";
import { listRoute, recordRoute } from "../route.ts";
import { presentHolder } from "./presentHolder.ts";
import { presentToken } from "./presentToken.ts";
import { presentTransferPage } from "./presentTransfer.ts";
import { parseTokenFilter, parseTransferKinds, tooFar } from "./tokenFilter.ts";
import { HolderSchema, TokenCountersSchema, TokenSchema } from "./tokenSchema.ts";
import { TransferSchema } from "./transferSchema.ts";

/** 404 if it is no token, 503 if the tokens stage is off or behind. */
const OF_TOKENS = [404, 503] as const;

export const TOKEN_ROUTES: readonly Route[] = [
  listRoute({
    path: "/tokens",
    tag: "Tokens",
    summary: "a [list](#list) of the [tokens](#token), those with the most holders first",
    list: TokenSchema,
    parameters: [TOKEN_TYPES, TOKEN_SEARCH_TEXT, TOKEN_SORT, TOKEN_ORDER],
    fails: [503],
    serve: async ({ network }, { query }) => {
      const request = parseRankedPage(query);
      const page = await listTokens(network, parseTokenFilter(query), request);
      if (page === undefined) throw tooFar();
      const rates = await readRates(network);
      return cacheable(
        "index",
        presentPage(
          page.tokens.map((token) => presentToken(token, rates)),
          page.info,
        ),
      );
    },
  }),
  listRoute({
    path: "/token-transfers",
    tag: "Tokens",
    summary: "a [list](#list) of the [transfers](#token-transfer) of all tokens, newest first",
    list: TransferSchema,
    parameters: [TRANSFER_TYPE],
    fails: [503],
    serve: async ({ network }, { query }) => {
      const kinds = parseTransferKinds(query);
      const page = kinds
        ? listTransfersOf(network, { kinds }, parseWalkPage(query))
        : listTransfers(network, parsePage(query));
      return presentTransferPage(await page);
    },
  }),
  recordRoute({
    path: "/tokens/{address}",
    tag: "Tokens",
    summary: "one [token](#token)",
    record: TokenSchema,
    fails: OF_TOKENS,
    serve: async ({ network }, { parameter }) => {
      const token = expectFound(await findToken(network, parseAddress(parameter)));
      // Not cacheable while the node has not answered.
      const scope = token.seen === undefined ? undefined : "index";
      return cacheable(scope, presentToken(token, await readRates(network)));
    },
  }),
  recordRoute({
    path: "/tokens/{address}/counters",
    tag: "Tokens",
    summary: "the [counters](#token-counters) of a token",
    record: TokenCountersSchema,
    fails: OF_TOKENS,
    serve: async ({ network }, { parameter }) => {
      const { holders, transfers } = expectFound(await readTokenCounters(network, parseAddress(parameter)));
      return cacheable("index", { token_holders_count: String(holders), transfers_count: String(transfers) });
    },
  }),
  listRoute({
    path: "/tokens/{address}/holders",
    tag: "Tokens",
    summary:
      "a [list](#list) of the [holders](#holder) of a token, the largest first; of an ERC-1155 token, one for each id that they have",
    list: HolderSchema,
    fails: OF_TOKENS,
    serve: async ({ network }, { parameter, query }) => {
      const page = await listHoldersById(network, parseAddress(parameter), parseRankedPage(query));
      const { holders, addresses, info } = expectFound(page);
      return presentPage(
        holders.map((holder) => presentHolder(holder, addresses)),
        info,
      );
    },
  }),
  listRoute({
    path: "/tokens/{address}/transfers",
    tag: "Tokens",
    summary: "a [list](#list) of the [transfers](#token-transfer) of a token, newest first",
    list: TransferSchema,
    fails: OF_TOKENS,
    serve: async ({ network }, { parameter, query }) => {
      const page = await listTokenTransfers(network, parseAddress(parameter), parsePage(query));
      return presentTransferPage(expectFound(page));
    },
  }),
];

import { findTokenPrice, listExchangeTokens } from "../../query/pools/exchangeTokens.ts";
import { findExchangeToken } from "../../query/pools/tokenDetail.ts";
import { JSON_TYPE } from "../http/failure.ts";
import { TextResponse } from "../http/responseCache.ts";
import { PriceAnswerSchema, TokenAnswerSchema, TokensSchema } from "./exchangeSchema.ts";
import { EXCHANGES, PART, PART_ITEMS, TOKEN } from "./parameters.ts";
import { parseAddress, parseExchanges, parseOptionalPage } from "./parse.ts";
import { presentExchangeToken, presentTokenDetail, presentTokenPrice, writeTokens } from "./presentExchangeToken.ts";
import type { ExchangeRoute } from "./route.ts";
import { DONE, expectFound } from "./route.ts";

export const TOKEN_ROUTES: readonly ExchangeRoute[] = [
  {
    path: "/tokens",
    summary: "all [ERC-20 tokens](#exchange-token) but pool shares, newest first",
    parameters: [EXCHANGES, PART, PART_ITEMS],
    schema: TokensSchema,
    serve: async ({ network, chainId }, { query }) => {
      const page = parseOptionalPage(query);
      const tokens = await listExchangeTokens(network, parseExchanges(query), page);
      if (page === undefined) return new TextResponse(await writeTokens(tokens, chainId), JSON_TYPE);
      return { data: tokens.map((token) => presentExchangeToken(token, chainId)) };
    },
  },
  {
    path: "/tokens/{address}",
    isRecord: true,
    summary: "a [token in detail](#token-in-detail): its price, pools, and other tokens with its symbol",
    parameters: [TOKEN],
    schema: TokenAnswerSchema,
    serve: async ({ network, chainId }, { parameter }) => {
      const token = expectFound(await findExchangeToken(network, parseAddress(parameter, "address")));
      return { data: presentTokenDetail(token, chainId), ...DONE };
    },
  },
  {
    path: "/tokens/{address}/price",
    isRecord: true,
    summary: "the [price of a token](#token-price) and the pools it comes from",
    parameters: [TOKEN],
    schema: PriceAnswerSchema,
    serve: async ({ network }, { parameter }) => {
      const price = expectFound(await findTokenPrice(network, parseAddress(parameter, "address")));
      return { data: presentTokenPrice(price), ...DONE };
    },
  },
];

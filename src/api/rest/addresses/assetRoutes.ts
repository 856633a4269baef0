import { readRates } from "../../../query/exchange/rates.ts";
import { listTokenBalances } from "../../../query/tokens/balances.ts";
import { listCollections, listOwnItems, MAX_COLLECTIONS } from "../../../query/tokens/ownItems.ts";
import { cacheable } from "../../http/responseCache.ts";
import { presentPage } from "../envelope.ts";
import { ITEM_TYPES, TOKEN_TYPES } from "../parameters.ts";
import { parseAddress, parseRankedPage } from "../params.ts";
import type { Route } from "../route.ts";
import { listRoute } from "../route.ts";
import { CollectionSchema, OwnInstanceSchema } from "../tokens/instanceSchema.ts";
import { presentCollection, presentOwnInstance } from "../tokens/presentInstance.ts";
import { parseItemKinds, parseKinds } from "../tokens/tokenFilter.ts";
import { TokenBalanceSchema } from "../tokens/tokenSchema.ts";
import { presentBalance } from "./presentBalance.ts";

const tag = "Addresses";

export const ASSET_ROUTES: readonly Route[] = [
  listRoute({
    path: "/addresses/{address}/tokens",
    tag,
    summary: "a [list](#list) of the [token balances](#token-balance) of an address, all or those of some standards",
    list: TokenBalanceSchema,
    parameters: [TOKEN_TYPES],
    fails: [413, 503],
    serve: async ({ network }, { parameter, query }) => {
      const [address, request] = [parseAddress(parameter), parseRankedPage(query)];
      const { balances, info } = await listTokenBalances(network, address, request, parseKinds(query.type));
      const rates = await readRates(network);
      return presentPage(
        balances.map((balance) => presentBalance(balance, rates)),
        info,
      );
    },
  }),
  listRoute({
    path: "/addresses/{address}/nft",
    tag,
    summary: "a [list](#list) of the [instances](#owned-instance) that an address has, ERC-1155 before ERC-721",
    list: OwnInstanceSchema,
    parameters: [ITEM_TYPES],
    fails: [503],
    serve: async ({ network }, { parameter, query }) => {
      const [address, request] = [parseAddress(parameter), parseRankedPage(query)];
      const { items, addresses, info } = await listOwnItems(network, address, parseItemKinds(query.type), request);
      return cacheable(
        "index",
        presentPage(
          items.map((item) => presentOwnInstance(item, addresses)),
          info,
        ),
      );
    },
  }),
  listRoute({
    path: "/addresses/{address}/nft/collections",
    tag,
    summary: `a [list](#list) of the [collections](#collection) that an address has instances of, up to ${MAX_COLLECTIONS} on a page`,
    list: CollectionSchema,
    parameters: [ITEM_TYPES],
    fails: [413, 503],
    serve: async ({ network }, { parameter, query }) => {
      const [address, request] = [parseAddress(parameter), parseRankedPage(query)];
      const page = await listCollections(network, address, parseItemKinds(query.type), request);
      const { collections, addresses, info } = page;
      return cacheable(
        "index",
        presentPage(
          collections.map((collection) => presentCollection(collection, addresses)),
          info,
        ),
      );
    },
  }),
];

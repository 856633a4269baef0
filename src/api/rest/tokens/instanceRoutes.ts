import { listItemHolders } from "../../../query/tokens/itemHolders.ts";
import { findItem, listItems } from "../../../query/tokens/items.ts";
import { readMetadata } from "../../../query/tokens/metadata.ts";
import { countItemTransfers, listItemTransfers } from "../../../query/tokens/transfers.ts";
import { cacheable } from "../../http/responseCache.ts";
import { count, fields } from "../../openapi/values.ts";
import { presentPage } from "../envelope.ts";
import { expectFound } from "../errors.ts";
import { OF_HOLDER } from "../parameters.ts";
import { parseAddress, parseOptionalAddress, parsePage, parseRankedPage, parseTokenId } from "../params.ts";
import type { Route } from "../route.ts";
import { listRoute, recordRoute } from "../route.ts";
import { InstanceSchema } from "./instanceSchema.ts";
import { presentHolder } from "./presentHolder.ts";
import { presentInstance } from "./presentInstance.ts";
import { presentTransferPage } from "./presentTransfer.ts";
import { HolderSchema } from "./tokenSchema.ts";
import { TransferSchema } from "./transferSchema.ts";

const tag = "Tokens";

/** 404 for ids without transfers, 503 if the tokens stage is off or behind. */
const OF_ITEMS = [404, 503] as const;

export const INSTANCE_ROUTES: readonly Route[] = [
  listRoute({
    path: "/tokens/{address}/instances",
    tag,
    summary: "a [list](#list) of the [instances](#token-instance) of a token, those first that a transfer named last",
    list: InstanceSchema,
    parameters: [OF_HOLDER],
    fails: [404, 413, 503],
    serve: async ({ network }, { parameter, query }) => {
      const holder = parseOptionalAddress(query, "holder_address_hash");
      const page = await listItems(network, parseAddress(parameter), holder, parseRankedPage(query));
      const { items, addresses, info } = expectFound(page);
      return cacheable(
        "index",
        presentPage(
          items.map((item) => presentInstance(item, addresses)),
          info,
        ),
      );
    },
  }),
  recordRoute({
    path: "/tokens/{address}/instances/{id}",
    tag,
    summary: "one [instance](#token-instance) of a token, with its owner and its metadata",
    record: InstanceSchema,
    fails: OF_ITEMS,
    serve: async ({ network }, { parameter, item }) => {
      const found = expectFound(await findItem(network, parseAddress(parameter), parseTokenId(item)));
      return presentInstance(found, found.addresses, await readMetadata(network, found, found.range));
    },
  }),
  listRoute({
    path: "/tokens/{address}/instances/{id}/transfers",
    tag,
    summary: "a [list](#list) of the [transfers](#token-transfer) of an instance, newest first",
    list: TransferSchema,
    fails: OF_ITEMS,
    serve: async ({ network }, { parameter, item, query }) => {
      const [address, id, request] = [parseAddress(parameter), parseTokenId(item), parsePage(query)];
      return presentTransferPage(expectFound(await listItemTransfers(network, address, id, request)));
    },
  }),
  recordRoute({
    path: "/tokens/{address}/instances/{id}/transfers-count",
    tag,
    summary: "`transfers_count`: how many transfers an instance has",
    record: fields("of one instance", { transfers_count: count("number of transfers") }),
    fails: OF_ITEMS,
    serve: async ({ network }, { parameter, item }) => {
      const transfers = await countItemTransfers(network, parseAddress(parameter), parseTokenId(item));
      return cacheable("index", { transfers_count: expectFound(transfers) });
    },
  }),
  listRoute({
    path: "/tokens/{address}/instances/{id}/holders",
    tag,
    summary:
      "a [list](#list) of the [holders](#holder) of an instance, the largest first; of an ERC-721 item its owner",
    list: HolderSchema,
    fails: OF_ITEMS,
    serve: async ({ network }, { parameter, item, query }) => {
      const [address, id, request] = [parseAddress(parameter), parseTokenId(item), parseRankedPage(query)];
      const { holders, addresses, info } = expectFound(await listItemHolders(network, address, id, request));
      return cacheable(
        "index",
        presentPage(
          holders.map((holder) => presentHolder(holder, addresses)),
          info,
        ),
      );
    },
  }),
];

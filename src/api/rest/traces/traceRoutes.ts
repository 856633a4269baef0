import {
  listAddressInternalTransactions,
  listBlockInternalTransactions,
  listInternalTransactions,
  listTransactionInternalTransactions,
} from "../../../query/traces/internalTransactions.ts";
import { expectFound } from "../errors.ts";
import { parseAddress, parseBlockId, parseBlockPage, parseHash, parsePage } from "../params.ts";
import type { Route } from "../route.ts";
import { ASKS_THE_NODE, listRoute } from "../route.ts";
import { InternalTransactionSchema } from "./internalSchema.ts";
import { presentInternalPage } from "./presentInternal.ts";

const tag = "Traces";

const KIND = "[internal transactions](#internal-transaction)";

export const TRACE_ROUTES: readonly Route[] = [
  listRoute({
    path: "/internal-transactions",
    tag,
    summary: `a [list](#list) of the ${KIND}, newest first`,
    list: InternalTransactionSchema,
    fails: [503],
    serve: async ({ network }, { query }) =>
      presentInternalPage(await listInternalTransactions(network, parsePage(query))),
  }),
  listRoute({
    path: "/blocks/{id}/internal-transactions",
    tag,
    summary: `a [list](#list) of the ${KIND} of a block, in their order`,
    list: InternalTransactionSchema,
    fails: [404, 503],
    serve: async ({ network }, { parameter, query }) => {
      const page = await listBlockInternalTransactions(network, parseBlockId(parameter), parseBlockPage(query));
      return presentInternalPage(expectFound(page));
    },
  }),
  listRoute({
    path: "/transactions/{hash}/internal-transactions",
    tag,
    summary: `a [list](#list) of the ${KIND} of a transaction, in their order`,
    list: InternalTransactionSchema,
    fails: [413, ...ASKS_THE_NODE],
    serve: async ({ network }, { parameter, query }) => {
      const page = await listTransactionInternalTransactions(network, parseHash(parameter), parseBlockPage(query));
      return presentInternalPage(expectFound(page));
    },
  }),
  listRoute({
    path: "/addresses/{address}/internal-transactions",
    tag,
    summary: `a [list](#list) of the ${KIND} from, to or creating an address, newest first`,
    list: InternalTransactionSchema,
    fails: [503],
    serve: async ({ network }, { parameter, query }) =>
      presentInternalPage(await listAddressInternalTransactions(network, parseAddress(parameter), parsePage(query))),
  }),
];

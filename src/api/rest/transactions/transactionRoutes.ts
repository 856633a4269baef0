import { readRates } from "../../../query/exchange/rates.ts";
import { listTransactionTransfersOf } from "../../../query/tokens/filteredTransfers.ts";
import { listTransactionTransfers } from "../../../query/tokens/transfers.ts";
import { findBlob, listTransactionBlobs } from "../../../query/transactions/blobs.ts";
import { listTransactionsOf } from "../../../query/transactions/filteredTransactions.ts";
import { listTransactionLogs } from "../../../query/transactions/logs.ts";
import { listPendingTransactions } from "../../../query/transactions/pendingList.ts";
import { readTransaction } from "../../../query/transactions/transaction.ts";
import { listTransactions } from "../../../query/transactions/transactionPages.ts";
import { COSTS } from "../../http/rateLimit.ts";
import { cacheable } from "../../http/responseCache.ts";
import type { Shape } from "../../openapi/values.ts";
import type { Envelope } from "../envelope.ts";
import { presentPage } from "../envelope.ts";
import { expectFound } from "../errors.ts";
import { OF_METHOD, TRANSACTION_FILTER, TRANSACTION_FILTERS, TRANSACTION_TYPE, TRANSFER_TYPE } from "../parameters.ts";
import type { Query } from "../params.ts";
import { ParameterError, parseBlockPage, parseChoice, parseHash, parsePage, parseWalkPage } from "../params.ts";
import type { RestContext, Route } from "../route.ts";
import { ASKS_THE_NODE, listRoute, recordRoute } from "../route.ts";
import { presentTransferPage } from "../tokens/presentTransfer.ts";
import { parseTransferKinds } from "../tokens/tokenFilter.ts";
import { TransferSchema } from "../tokens/transferSchema.ts";
import { BlobSchema } from "./blobSchema.ts";
import { LogSchema } from "./logSchema.ts";
import { presentBlob, presentFoundBlob } from "./presentBlob.ts";
import { presentLogPage } from "./presentLog.ts";
import { presentSummary } from "./presentSummary.ts";
import { presentTransaction, presentTransactionPage } from "./presentTransaction.ts";
import { SummarySchema } from "./summarySchema.ts";
import { parseMethods, parseTransactionTypes } from "./transactionFilter.ts";
import { TransactionSchema } from "./transactionSchema.ts";

const tag = "Transactions";

export const TRANSACTION_ROUTES: readonly Route[] = [
  listRoute({
    path: "/transactions",
    tag,
    summary: "a [list](#list) of the [transactions](#transaction), newest first",
    list: TransactionSchema,
    parameters: [TRANSACTION_FILTER, TRANSACTION_TYPE, OF_METHOD],
    fails: [501, 503],
    serve: (context, { query }) => serveTransactions(context, query),
  }),
  recordRoute({
    path: "/transactions/{hash}",
    tag,
    summary: "one [transaction](#transaction)",
    record: TransactionSchema,
    fails: ASKS_THE_NODE,
    serve: async ({ network }, { parameter }) => {
      const hash = parseHash(parameter);
      const [found, rates] = await Promise.all([readTransaction(network, hash), readRates(network)]);
      const details = expectFound(found);
      return cacheable(details.scope, presentTransaction(details, rates));
    },
  }),
  recordRoute({
    path: "/transactions/{hash}/summary",
    tag,
    summary: "what a transaction did, in one sentence: its [summary](#transaction-summary)",
    record: SummarySchema,
    fails: ASKS_THE_NODE,
    serve: async ({ network }, { parameter }) => {
      const [found, rates] = await Promise.all([readTransaction(network, parseHash(parameter)), readRates(network)]);
      const details = expectFound(found);
      return cacheable(details.scope, presentSummary(details, rates));
    },
  }),
  listRoute({
    path: "/transactions/{hash}/logs",
    tag,
    summary: "a [list](#list) of the [logs](#log) of a transaction, by index",
    list: LogSchema,
    fails: ASKS_THE_NODE,
    serve: async ({ network }, { parameter, query }) => {
      const page = await listTransactionLogs(network, parseHash(parameter), parseBlockPage(query));
      return presentLogPage(expectFound(page));
    },
  }),
  listRoute({
    path: "/transactions/{hash}/blobs",
    cost: COSTS.blob,
    tag,
    summary: "a [list](#list) of the [blobs](#blob) of a transaction, in its order",
    list: BlobSchema,
    fails: ASKS_THE_NODE,
    serve: async ({ network }, { parameter, query }) => {
      const page = await listTransactionBlobs(network, parseHash(parameter), parsePage(query));
      const { blobs, info } = expectFound(page);
      return presentPage(blobs.map(presentBlob), info);
    },
  }),
  listRoute({
    path: "/transactions/{hash}/token-transfers",
    tag,
    summary: "a [list](#list) of the [token transfers](#token-transfer) of a transaction, by log index",
    list: TransferSchema,
    parameters: [TRANSFER_TYPE],
    fails: ASKS_THE_NODE,
    serve: async ({ network }, { parameter, query }) => {
      const kinds = parseTransferKinds(query);
      if (kinds !== undefined) {
        const page = await listTransactionTransfersOf(network, parseHash(parameter), { kinds }, parseWalkPage(query));
        return presentTransferPage(expectFound(page));
      }
      const page = await listTransactionTransfers(network, parseHash(parameter), parseBlockPage(query));
      return presentTransferPage(expectFound(page));
    },
  }),
  recordRoute({
    path: "/blobs/{hash}",
    cost: COSTS.blob,
    tag,
    summary: "one [blob](#blob) by its versioned hash",
    record: BlobSchema,
    fails: [404],
    serve: async ({ network }, { parameter }) =>
      presentFoundBlob(expectFound(await findBlob(network, parseHash(parameter, "blob_hash_param")))),
  }),
];

/** `pageSize` is the default. */
export async function serveTransactions(
  { network }: RestContext,
  query: Query,
  pageSize?: number,
): Promise<Envelope<Shape<typeof TransactionSchema>>> {
  const [filter, types] = [parseChoice(query, "filter", TRANSACTION_FILTERS), parseTransactionTypes(query)];
  const selectors = parseMethods(query);
  if ((types !== undefined || selectors !== undefined) && filter === "validated") {
    return presentTransactionPage(await listTransactionsOf(network, { types, selectors }, parseWalkPage(query)));
  }
  if (selectors !== undefined)
    throw new ParameterError("method", "no method: pending transactions are not filtered by it");
  const request = parsePage(query, pageSize);
  if (filter === "pending") return presentTransactionPage(await listPendingTransactions(network, types, request));
  return presentTransactionPage(await listTransactions(network, request));
}

import { serveBlock } from "../../../query/blocks/block.ts";
import { serveBlocks } from "../../../query/blocks/blockPages.ts";
import { BlockSchema } from "../blocks/blockSchema.ts";
import { serveBlockTransactions } from "../blocks/blockTransactions.ts";
import { BLOCK_TYPE, TRANSACTION_FILTER } from "../parameters.ts";
import type { Route } from "../route.ts";
import { serveTransactionTransfers } from "../../../query/tokens/transfers.ts";
import { TransferSchema } from "../tokens/transferSchema.ts";
import { BlobSchema } from "./blobSchema.ts";
import { serveBlob, serveTransactionBlobs } from "../../../query/transactions/blobs.ts";
import { LogSchema } from "./logSchema.ts";
import { serveTransactionLogs } from "../../../query/transactions/logs.ts";
import { serveTransaction } from "../../../query/transactions/transaction.ts";
import { serveTransactions } from "../../../query/transactions/transactionPages.ts";
import { TransactionSchema } from "./transactionSchema.ts";

/** What is not indexed is asked of the node, which may not know it, not answer or refuse. */
const ASKS_THE_NODE = [404, 502, 503] as const;

export const BLOCK_ROUTES: readonly Route[] = [
  {
    path: "/blocks",
    tag: "Blocks",
    summary: "a [list](#list) of the [blocks](#block), newest first",
    list: BlockSchema,
    parameters: [BLOCK_TYPE],
    serve: (context, { query }) => serveBlocks(context, query),
  },
  {
    path: "/blocks/{id}",
    tag: "Blocks",
    summary: "one [block](#block); `id` is a decimal number or a hash",
    record: BlockSchema,
    fails: ASKS_THE_NODE,
    serve: (context, { parameter }) => serveBlock(context, parameter),
  },
  {
    path: "/blocks/{id}/transactions",
    tag: "Blocks",
    summary: "a [list](#list) of the [transactions](#transaction) of a block, in block order",
    list: TransactionSchema,
    fails: ASKS_THE_NODE,
    serve: (context, { parameter, query }) => serveBlockTransactions(context, parameter, query),
  },
];

export const TRANSACTION_ROUTES: readonly Route[] = [
  {
    path: "/transactions",
    tag: "Transactions",
    summary: "a [list](#list) of the [transactions](#transaction), newest first",
    list: TransactionSchema,
    parameters: [TRANSACTION_FILTER],
    serve: (context, { query }) => serveTransactions(context, query),
  },
  {
    path: "/transactions/{hash}",
    tag: "Transactions",
    summary: "one [transaction](#transaction)",
    record: TransactionSchema,
    fails: ASKS_THE_NODE,
    serve: (context, { parameter }) => serveTransaction(context, parameter),
  },
  {
    path: "/transactions/{hash}/logs",
    tag: "Transactions",
    summary: "a [list](#list) of the [logs](#log) of a transaction, by index",
    list: LogSchema,
    fails: ASKS_THE_NODE,
    serve: (context, { parameter, query }) => serveTransactionLogs(context, parameter, query),
  },
  {
    path: "/transactions/{hash}/blobs",
    tag: "Transactions",
    summary: "a [list](#list) of the [blobs](#blob) of a transaction, in its order",
    list: BlobSchema,
    fails: ASKS_THE_NODE,
    serve: (context, { parameter, query }) => serveTransactionBlobs(context, parameter, query),
  },
  {
    path: "/transactions/{hash}/token-transfers",
    tag: "Transactions",
    summary: "a [list](#list) of the [token transfers](#token-transfer) of a transaction, by log index",
    list: TransferSchema,
    fails: ASKS_THE_NODE,
    serve: (context, { parameter, query }) => serveTransactionTransfers(context, parameter, query),
  },
  {
    path: "/blobs/{hash}",
    tag: "Transactions",
    summary: "one [blob](#blob) by its versioned hash",
    record: BlobSchema,
    fails: [404],
    serve: (context, { parameter }) => serveBlob(context, parameter),
  },
];

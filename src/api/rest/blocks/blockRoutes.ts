import { listAllWithdrawals } from "../../../query/blocks/allWithdrawals.ts";
import { findBlock } from "../../../query/blocks/block.ts";
import { listBlocks } from "../../../query/blocks/blockPages.ts";
import { readCountdown } from "../../../query/blocks/countdown.ts";
import { listWithdrawals } from "../../../query/blocks/withdrawals.ts";
import { listBlockTransactionsOfTypes } from "../../../query/transactions/filteredTransactions.ts";
import { listBlockTransactions } from "../../../query/transactions/transactionPages.ts";
import { HttpError } from "../../http/failure.ts";
import { cacheable } from "../../http/responseCache.ts";
import type { Shape } from "../../openapi/values.ts";
import type { Envelope } from "../envelope.ts";
import { expectFound } from "../errors.ts";
import { BLOCK_TYPE, BLOCK_TYPES, TRANSACTION_TYPE } from "../parameters.ts";
import type { Query } from "../params.ts";
import {
  parseAddress,
  parseBlockId,
  parseBlockNumber,
  parseBlockPage,
  parseChoice,
  parsePage,
  parseWalkPage,
} from "../params.ts";
import type { RestContext, Route } from "../route.ts";
import { ASKS_THE_NODE, listRoute, recordRoute } from "../route.ts";
import { presentTransactionPage } from "../transactions/presentTransaction.ts";
import { parseTransactionTypes } from "../transactions/transactionFilter.ts";
import { TransactionSchema } from "../transactions/transactionSchema.ts";
import { BlockSchema, CountdownSchema, WithdrawalSchema } from "./blockSchema.ts";
import { presentBlock, presentBlockPage, presentCountdown, presentWithdrawalPage } from "./presentBlock.ts";

const tag = "Blocks";

export const BLOCK_ROUTES: readonly Route[] = [
  listRoute({
    path: "/blocks",
    tag,
    summary: "a [list](#list) of the [blocks](#block), newest first",
    list: BlockSchema,
    parameters: [BLOCK_TYPE],
    serve: (context, { query }) => serveBlocks(context, query),
  }),
  recordRoute({
    path: "/blocks/{id}",
    tag,
    summary: "one [block](#block); `id` is a decimal number or a hash",
    record: BlockSchema,
    fails: ASKS_THE_NODE,
    serve: async ({ network }, { parameter }) => {
      const { block, addresses, scope } = expectFound(await findBlock(network, parseBlockId(parameter)));
      return cacheable(scope, presentBlock(block, addresses));
    },
  }),
  recordRoute({
    path: "/blocks/{id}/countdown",
    tag,
    summary: "when a block will be mined: the [countdown](#countdown); 404 for a number that is mined already",
    record: CountdownSchema,
    fails: [404],
    serve: async ({ network }, { parameter }) => {
      const block = parseBlockNumber(parameter);
      const countdown = await readCountdown(network, block);
      if (countdown === undefined) throw Object.assign(new HttpError(404), { message: "Block number already mined" });
      return presentCountdown(block, countdown);
    },
  }),
  listRoute({
    path: "/blocks/{id}/transactions",
    tag,
    summary: "a [list](#list) of the [transactions](#transaction) of a block, in block order",
    list: TransactionSchema,
    parameters: [TRANSACTION_TYPE],
    fails: ASKS_THE_NODE,
    serve: async ({ network }, { parameter, query }) => {
      const types = parseTransactionTypes(query);
      if (types !== undefined) {
        const page = listBlockTransactionsOfTypes(network, parseBlockId(parameter), types, parseWalkPage(query));
        return presentTransactionPage(expectFound(await page));
      }
      const page = await listBlockTransactions(network, parseBlockId(parameter), parseBlockPage(query));
      return presentTransactionPage(expectFound(page));
    },
  }),
  listRoute({
    path: "/withdrawals",
    tag,
    summary: "a [filtered](#filters) [list](#list) of the [withdrawals](#withdrawal) of all blocks, newest first",
    list: WithdrawalSchema,
    serve: async ({ network }, { query }) =>
      presentWithdrawalPage(await listAllWithdrawals(network, undefined, parseWalkPage(query))),
  }),
  listRoute({
    path: "/addresses/{address}/withdrawals",
    tag,
    summary: "a [filtered](#filters) [list](#list) of the [withdrawals](#withdrawal) to an address, newest first",
    list: WithdrawalSchema,
    serve: async ({ network }, { parameter, query }) =>
      presentWithdrawalPage(await listAllWithdrawals(network, parseAddress(parameter), parseWalkPage(query))),
  }),
  listRoute({
    path: "/blocks/{id}/withdrawals",
    tag,
    summary: "a [list](#list) of the [withdrawals](#withdrawal) of a block, in block order",
    list: WithdrawalSchema,
    fails: ASKS_THE_NODE,
    serve: async ({ network }, { parameter, query }) =>
      presentWithdrawalPage(
        expectFound(await listWithdrawals(network, parseBlockId(parameter), parseBlockPage(query))),
      ),
  }),
];

/** `pageSize` is the default. */
export async function serveBlocks(
  { network }: RestContext,
  query: Query,
  pageSize?: number,
): Promise<Envelope<Shape<typeof BlockSchema>>> {
  const request = parsePage(query, pageSize);
  return presentBlockPage(await listBlocks(network, parseChoice(query, "type", BLOCK_TYPES), request));
}

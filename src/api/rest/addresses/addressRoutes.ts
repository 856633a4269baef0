import { serveValidatedBlocks } from "../../../query/blocks/blockPages.ts";
import { BlockSchema } from "../blocks/blockSchema.ts";
import { wholeList } from "../blockscoutLists.ts";
import { OF_TOKEN } from "../parameters.ts";
import type { Route } from "../route.ts";
import { TokenBalanceSchema } from "../tokens/tokenSchema.ts";
import { serveAddressTransfers } from "../../../query/tokens/transfers.ts";
import { TransferSchema } from "../tokens/transferSchema.ts";
import { LogSchema } from "../transactions/logSchema.ts";
import { serveAddressLogs } from "../../../query/transactions/logs.ts";
import { TransactionSchema } from "../transactions/transactionSchema.ts";
import { serveAccount } from "../../../query/accounts/account.ts";
import { AccountCountersSchema, AccountListsSchema, AccountSchema, ContractSchema } from "./accountSchema.ts";
import { serveAddressTransactions } from "./addressTransactions.ts";
import { serveContract } from "./contracts.ts";
import { serveCounters, serveTabsCounters } from "../../../query/accounts/counters.ts";
import { serveTokenBalances } from "../../../query/tokens/balances.ts";

const tag = "Addresses";

export const ADDRESS_ROUTES: readonly Route[] = [
  {
    path: "/addresses/{address}",
    tag,
    summary: "one [account](#account): its balance, whether it is a contract, its name",
    record: AccountSchema,
    serve: (context, { parameter }) => serveAccount(context, parameter),
  },
  {
    path: "/addresses/{address}/counters",
    tag,
    summary: "the [counters](#account-counters) of an address",
    record: AccountCountersSchema,
    serve: (context, { parameter }) => serveCounters(context, parameter),
  },
  {
    path: "/addresses/{address}/tabs-counters",
    tag,
    summary: "the lengths of the [lists](#account-lists) of an address",
    record: AccountListsSchema,
    serve: (context, { parameter }) => serveTabsCounters(context, parameter),
  },
  {
    path: "/addresses/{address}/transactions",
    tag,
    summary: "a [list](#list) of the transactions sent by, sent to or creating an address, newest first",
    list: TransactionSchema,
    serve: (context, { parameter, query }) => serveAddressTransactions(context, parameter, query),
  },
  {
    path: "/addresses/{address}/token-balances",
    tag,
    summary: "a [list](#list) of the [token balances](#token-balance) of an address",
    list: TokenBalanceSchema,
    isBare: true,
    fails: [503],
    serve: (context, { parameter, query }) =>
      serveTokenBalances(context, parameter, wholeList(query, context.settings)),
  },
  {
    path: "/addresses/{address}/token-transfers",
    tag,
    summary: "a [list](#list) of the [token transfers](#token-transfer) from or to an address, newest first",
    list: TransferSchema,
    parameters: [OF_TOKEN],
    fails: [501, 503],
    serve: (context, { parameter, query }) => serveAddressTransfers(context, parameter, query),
  },
  {
    path: "/addresses/{address}/logs",
    tag,
    summary: "a [list](#list) of the [logs](#log) that a contract emitted, newest first",
    list: LogSchema,
    serve: (context, { parameter, query }) => serveAddressLogs(context, parameter, query),
  },
  {
    path: "/addresses/{address}/blocks-validated",
    tag,
    summary: "a [list](#list) of the [blocks](#block) with an address as their miner, newest first",
    list: BlockSchema,
    serve: (context, { parameter, query }) => serveValidatedBlocks(context, parameter, query),
  },
  {
    path: "/smart-contracts/{address}",
    tag,
    summary: "one [contract](#contract); 404 for an address without code",
    record: ContractSchema,
    fails: [404, 503],
    serve: (context, { parameter }) => serveContract(context, parameter),
  },
];

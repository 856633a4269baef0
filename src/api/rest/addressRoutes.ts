import { serveAccount } from "./account.ts";
import { serveAddressTransactions } from "./addresses.ts";
import { wholeList } from "./bareLists.ts";
import { serveValidatedBlocks } from "./blockList.ts";
import { serveContract } from "./contracts.ts";
import { serveCounters, serveTabsCounters } from "./counters.ts";
import { serveAddressLogs } from "./logs.ts";
import { OF_TOKEN } from "./parameters.ts";
import type { Route } from "./route.ts";
import { AccountCountersSchema, AccountListsSchema, AccountSchema, ContractSchema } from "./schema/account.ts";
import { BlockSchema } from "./schema/block.ts";
import { LogSchema } from "./schema/log.ts";
import { TokenBalanceSchema } from "./schema/token.ts";
import { TransactionSchema } from "./schema/transaction.ts";
import { TransferSchema } from "./schema/transfer.ts";
import { serveTokenBalances } from "./tokenBalances.ts";
import { serveAddressTransfers } from "./tokenTransfers.ts";

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
    summary: "how long the [lists](#account-lists) of an address are",
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
    summary: "a [list](#list) of what an address has of each token: [token balances](#token-balance)",
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
    summary: "a [list](#list) of the [logs](#log) a contract emitted, newest first",
    list: LogSchema,
    serve: (context, { parameter, query }) => serveAddressLogs(context, parameter, query),
  },
  {
    path: "/addresses/{address}/blocks-validated",
    tag,
    summary: "a [list](#list) of the [blocks](#block) whose headers name an address as the miner, newest first",
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

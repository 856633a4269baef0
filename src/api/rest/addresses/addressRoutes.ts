import { readAccount } from "../../../query/accounts/account.ts";
import { countLists, readCounters } from "../../../query/accounts/counters.ts";
import { listMinedBlocks } from "../../../query/blocks/blockPages.ts";
import { readRates } from "../../../query/exchange/rates.ts";
import { listTokenBalances } from "../../../query/tokens/balances.ts";
import { listAddressTransfersOf } from "../../../query/tokens/filteredTransfers.ts";
import { listAddressTokenTransfers, listAddressTransfers } from "../../../query/tokens/transfers.ts";
import { listAddressLogs, listAddressLogsWith } from "../../../query/transactions/logs.ts";
import { listAddressTransactions } from "../../../query/transactions/transactionPages.ts";
import { cacheable } from "../../http/responseCache.ts";
import { BlockSchema } from "../blocks/blockSchema.ts";
import { presentBlockPage } from "../blocks/presentBlock.ts";
import { wholeList } from "../blockscoutLists.ts";
import { presentPage } from "../envelope.ts";
import { IGNORED_FILTERS, LOG_TOPIC, OF_TOKEN, ROLE, TRANSFER_TYPE } from "../parameters.ts";
import type { Query } from "../params.ts";
import { parseAddress, parseOptionalHash, parsePage, parseRankedPage, parseRole, parseWalkPage } from "../params.ts";
import type { Route } from "../route.ts";
import { listRoute, recordRoute } from "../route.ts";
import { presentTransferPage } from "../tokens/presentTransfer.ts";
import { parseTransferKinds } from "../tokens/tokenFilter.ts";
import { TokenBalanceSchema } from "../tokens/tokenSchema.ts";
import { TransferSchema } from "../tokens/transferSchema.ts";
import { LogSchema } from "../transactions/logSchema.ts";
import { presentLogPage } from "../transactions/presentLog.ts";
import { presentTransactionPage } from "../transactions/presentTransaction.ts";
import { listByQuery } from "../transactions/transactionFilter.ts";
import { TransactionSchema } from "../transactions/transactionSchema.ts";
import { AccountCountersSchema, AccountListsSchema, AccountSchema } from "./accountSchema.ts";
import { presentAccount } from "./presentAccount.ts";
import { presentBalance } from "./presentBalance.ts";
import { presentCounters, presentTabsCounters } from "./presentCounters.ts";

const tag = "Addresses";

export const ADDRESS_ROUTES: readonly Route[] = [
  recordRoute({
    path: "/addresses/{address}",
    tag,
    summary: "one [account](#account): its balance, whether it is a contract, its name",
    record: AccountSchema,
    serve: async ({ network }, { parameter }) =>
      presentAccount(await readAccount(network, parseAddress(parameter)), await readRates(network)),
  }),
  recordRoute({
    path: "/addresses/{address}/counters",
    tag,
    summary: "the [counters](#account-counters) of an address",
    record: AccountCountersSchema,
    serve: async ({ network }, { parameter }) =>
      cacheable("index", presentCounters(await readCounters(network, parseAddress(parameter)))),
  }),
  recordRoute({
    path: "/addresses/{address}/tabs-counters",
    tag,
    summary: "the lengths of the [lists](#account-lists) of an address",
    record: AccountListsSchema,
    serve: async ({ network }, { parameter }) =>
      cacheable("index", presentTabsCounters(await countLists(network, parseAddress(parameter)))),
  }),
  listRoute({
    path: "/addresses/{address}/transactions",
    tag,
    summary: "a [list](#list) of the transactions sent by, sent to or creating an address, newest first",
    list: TransactionSchema,
    parameters: IGNORED_FILTERS,
    fails: [503],
    serve: async ({ network, settings }, { parameter, query }) => {
      const address = parseAddress(parameter);
      const page =
        settings.compat === "blockscout"
          ? listByQuery(network, address, query)
          : listAddressTransactions(network, address, parsePage(query));
      return presentTransactionPage(await page);
    },
  }),
  listRoute({
    path: "/addresses/{address}/token-balances",
    tag,
    summary: "a [list](#list) of the [token balances](#token-balance) of an address",
    list: TokenBalanceSchema,
    isBare: true,
    fails: [503],
    serve: async ({ network, settings }, { parameter, query }) => {
      const [address, request] = [parseAddress(parameter), parseRankedPage(wholeList(query, settings))];
      const { balances, info } = await listTokenBalances(network, address, request);
      const rates = await readRates(network);
      return presentPage(
        balances.map((balance) => presentBalance(balance, rates)),
        info,
      );
    },
  }),
  listRoute({
    path: "/addresses/{address}/token-transfers",
    tag,
    summary: "a [list](#list) of the [token transfers](#token-transfer) from or to an address, newest first",
    list: TransferSchema,
    parameters: [OF_TOKEN, TRANSFER_TYPE, ROLE],
    fails: [501, 503],
    serve: async ({ network }, { parameter, query }) => {
      const [address, token, kinds, role] = [
        parseAddress(parameter),
        parseToken(query),
        parseTransferKinds(query),
        parseRole(query),
      ];
      if (kinds !== undefined || role !== undefined) {
        const selection = { kinds, party: role && { address, role } };
        const page = listAddressTransfersOf(network, address, token, selection, parseWalkPage(query));
        return presentTransferPage(await page);
      }
      const request = parsePage(query);
      const page = await (token === undefined
        ? listAddressTransfers(network, address, request)
        : listAddressTokenTransfers(network, address, token, request));
      return presentTransferPage(page);
    },
  }),
  listRoute({
    path: "/addresses/{address}/logs",
    tag,
    summary: "a [list](#list) of the [logs](#log) that a contract emitted, newest first",
    list: LogSchema,
    parameters: [LOG_TOPIC],
    serve: async ({ network }, { parameter, query }) => {
      const [address, topic] = [parseAddress(parameter), parseOptionalHash(query, "topic")];
      const page = topic
        ? listAddressLogsWith(network, address, topic, parseWalkPage(query))
        : listAddressLogs(network, address, parsePage(query));
      return presentLogPage(await page);
    },
  }),
  listRoute({
    path: "/addresses/{address}/blocks-validated",
    tag,
    summary: "a [list](#list) of the [blocks](#block) with an address as their miner, newest first",
    list: BlockSchema,
    serve: async ({ network }, { parameter, query }) =>
      presentBlockPage(await listMinedBlocks(network, parseAddress(parameter), parsePage(query))),
  }),
];

function parseToken({ token }: Query) {
  return token === undefined ? undefined : parseAddress(String(token), "token");
}

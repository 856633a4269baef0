import { listCoinBalances, readDailyBalances } from "../../../query/accounts/coinBalances.ts";
import {
  listAddressInternalTransactions,
  listAddressInternalTransactionsOf,
  listBlockInternalTransactions,
  listInternalTransactions,
} from "../../../query/traces/internalTransactions.ts";
import { listStateChanges } from "../../../query/traces/stateChanges.ts";
import { findTransactionCalls, listTransactionCalls } from "../../../query/traces/transactionCalls.ts";
import { listRawTrace } from "../../../query/traces/transactionTrace.ts";
import { COSTS } from "../../http/rateLimit.ts";
import { wholeList } from "../blockscoutLists.ts";
import { expectFound } from "../errors.ts";
import { OF_TRANSACTION, ROLE } from "../parameters.ts";
import {
  parseAddress,
  parseBlockId,
  parseBlockPage,
  parseHash,
  parseOptionalHash,
  parsePage,
  parseRole,
  parseWalkPage,
} from "../params.ts";
import type { Route } from "../route.ts";
import { ASKS_THE_NODE, listRoute, recordRoute } from "../route.ts";
import { CoinBalanceSchema, DailyBalancesSchema } from "./coinBalanceSchema.ts";
import { InternalTransactionSchema } from "./internalSchema.ts";
import { presentCoinBalances, presentDailyBalances } from "./presentCoinBalance.ts";
import { presentInternalPage } from "./presentInternal.ts";
import { presentRawTrace, presentStateChanges } from "./presentTrace.ts";
import { RawTraceSchema, STATE_CHANGES_EXTRA, StateChangeSchema } from "./traceSchema.ts";

const tag = "Traces";

const KIND = "[internal transactions](#internal-transaction)";

export const TRACE_ROUTES: readonly Route[] = [
  listRoute({
    path: "/internal-transactions",
    tag,
    summary: `a [list](#list) of the ${KIND}, newest first`,
    list: InternalTransactionSchema,
    parameters: [OF_TRANSACTION],
    fails: [413, 502, 503],
    serve: async ({ network }, { query }) => {
      const hash = parseOptionalHash(query, "transaction_hash");
      const page = hash
        ? findTransactionCalls(network, hash, parseBlockPage(query))
        : listInternalTransactions(network, parsePage(query));
      return presentInternalPage(await page);
    },
  }),
  listRoute({
    path: "/blocks/{id}/internal-transactions",
    tag,
    summary: `a [list](#list) of the ${KIND} of a block, in their order`,
    list: InternalTransactionSchema,
    fails: [404, 413, 503],
    serve: async ({ network }, { parameter, query }) => {
      const page = await listBlockInternalTransactions(network, parseBlockId(parameter), parseBlockPage(query));
      return presentInternalPage(expectFound(page));
    },
  }),
  listRoute({
    path: "/transactions/{hash}/internal-transactions",
    tag,
    summary: `a [list](#list) of the ${KIND} of a transaction, with calls of every kind, in their order`,
    list: InternalTransactionSchema,
    fails: [413, ...ASKS_THE_NODE],
    serve: async ({ network }, { parameter, query }) => {
      const page = await listTransactionCalls(network, parseHash(parameter), parseBlockPage(query));
      return presentInternalPage(expectFound(page));
    },
  }),
  listRoute({
    path: "/addresses/{address}/internal-transactions",
    tag,
    summary: `a [list](#list) of the ${KIND} from, to or creating an address, newest first`,
    list: InternalTransactionSchema,
    parameters: [ROLE],
    fails: [503],
    serve: async ({ network }, { parameter, query }) => {
      const [address, role] = [parseAddress(parameter), parseRole(query)];
      const page = role
        ? listAddressInternalTransactionsOf(network, address, role, parseWalkPage(query))
        : listAddressInternalTransactions(network, address, parsePage(query));
      return presentInternalPage(await page);
    },
  }),
  listRoute({
    path: "/transactions/{hash}/raw-trace",
    cost: COSTS.trace,
    tag,
    summary: "a [list](#list) of the [raw traces](#raw-trace) of a transaction, which the node makes on request",
    list: RawTraceSchema,
    isBare: true,
    fails: [413, ...ASKS_THE_NODE],
    serve: async ({ network, settings }, { parameter, query }) => {
      const [hash, request] = [parseHash(parameter), parseBlockPage(wholeList(query, settings))];
      return presentRawTrace(expectFound(await listRawTrace(network, hash, request)), hash);
    },
  }),
  listRoute({
    path: "/transactions/{hash}/state-changes",
    cost: COSTS.trace,
    tag,
    summary:
      "a [list](#list) of the [balances](#state-change) that a transaction changed: those of the coin, then those of tokens, by address",
    list: StateChangeSchema,
    extra: STATE_CHANGES_EXTRA,
    fails: [413, ...ASKS_THE_NODE],
    serve: async ({ network }, { parameter, query }) =>
      presentStateChanges(expectFound(await listStateChanges(network, parseHash(parameter), parseBlockPage(query)))),
  }),
  listRoute({
    path: "/addresses/{address}/coin-balance-history",
    tag,
    summary:
      "a [list](#list) of the [balances](#coin-balance) of an address after blocks that changed them, newest first",
    list: CoinBalanceSchema,
    fails: [413, 502, 503],
    serve: async ({ network }, { parameter, query }) =>
      presentCoinBalances(await listCoinBalances(network, parseAddress(parameter), parsePage(query))),
  }),
  recordRoute({
    path: "/addresses/{address}/coin-balance-history-by-day",
    tag,
    summary: "the [balances](#daily-balances) of an address at the end of the last days",
    record: DailyBalancesSchema,
    fails: [502, 503],
    serve: async ({ network }, { parameter }) =>
      presentDailyBalances(await readDailyBalances(network, parseAddress(parameter))),
  }),
];

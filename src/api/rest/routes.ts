import type { FastifyInstance } from "fastify";
import { Answers } from "../answers.ts";
import type { Context } from "../context.ts";
import { serveRead } from "../http.ts";
import type { Query } from "../params.ts";
import { serveAccount } from "./account.ts";
import { serveAddressTransactions } from "./addresses.ts";
import { shapeList, wholeList } from "./bareLists.ts";
import { serveBlob, serveTransactionBlobs } from "./blobs.ts";
import { serveBlocks, serveValidatedBlocks } from "./blockList.ts";
import { serveBlock } from "./blocks.ts";
import { serveBlockTransactions } from "./blockTransactions.ts";
import { serveContract } from "./contracts.ts";
import { serveCounters, serveTabsCounters } from "./counters.ts";
import { serveHolders } from "./holders.ts";
import { serveAddressLogs, serveTransactionLogs } from "./logs.ts";
import { serveQuickSearch, serveRedirect, serveSearch } from "./search.ts";
import { statsRoutes } from "./statsRoutes.ts";
import { serveTokenBalances } from "./tokenBalances.ts";
import { serveTokens } from "./tokenList.ts";
import { serveToken, serveTokenCounters } from "./tokens.ts";
import { serveAddressTransfers, serveTokenTransfers, serveTransactionTransfers } from "./tokenTransfers.ts";
import { serveTransactions } from "./transactionList.ts";
import { serveTransaction } from "./transactions.ts";

/** Items on a page of the newest blocks and transactions, where nobody asks for another size. */
export const MAIN_PAGE = { blocks: 4, transactions: 6 } as const;

/** The explorer REST API (specification, section 4.1). */
export function restRoutes(app: FastifyInstance, context: Context): void {
  const { settings, store, head, abis } = context;
  const answers = new Answers(store, () => head?.known ?? 0, abis);
  const serve = (path: string, answer: (parameter: string, query: Query) => Promise<object>) =>
    serveRead(app, `/api/v2${path}`, ({ params, query, url }, reply) =>
      answers.give(url, reply, () => answer(Object.values(params as Record<string, string>)[0]!, query as Query)),
    );

  const serveList = (path: string, answer: (query: Query) => Promise<object>) =>
    serve(path, (_, query) => answer(query));

  statsRoutes(app, context);
  mainPageRoutes(serveList, context);
  serveList("/blocks", (query) => serveBlocks(context, query));
  serve("/blocks/:id", (id) => serveBlock(context, id));
  serve("/blocks/:id/transactions", (id, query) => serveBlockTransactions(context, id, query));
  serveList("/transactions", (query) => serveTransactions(context, query));
  serve("/transactions/:hash", (hash) => serveTransaction(context, hash));
  serve("/transactions/:hash/logs", (hash, query) => serveTransactionLogs(context, hash, query));
  serve("/transactions/:hash/blobs", (hash, query) => serveTransactionBlobs(context, hash, query));
  serve("/transactions/:hash/token-transfers", (hash, query) => serveTransactionTransfers(context, hash, query));
  serve("/blobs/:hash", (hash) => serveBlob(context, hash));
  serve("/addresses/:address", (address) => serveAccount(context, address));
  serve("/addresses/:address/counters", (address) => serveCounters(context, address));
  serve("/addresses/:address/tabs-counters", (address) => serveTabsCounters(context, address));
  serve("/addresses/:address/transactions", (address, query) => serveAddressTransactions(context, address, query));
  serve("/addresses/:address/token-balances", async (address, query) =>
    shapeList(await serveTokenBalances(context, address, wholeList(query, settings)), settings),
  );
  serve("/addresses/:address/token-transfers", (address, query) => serveAddressTransfers(context, address, query));
  serve("/addresses/:address/logs", (address, query) => serveAddressLogs(context, address, query));
  serve("/addresses/:address/blocks-validated", (address, query) => serveValidatedBlocks(context, address, query));
  serve("/smart-contracts/:address", (address) => serveContract(context, address));
  serveList("/tokens", (query) => serveTokens(context, query));
  serve("/tokens/:address", (address) => serveToken(context, address));
  serve("/tokens/:address/counters", (address) => serveTokenCounters(context, address));
  serve("/tokens/:address/holders", (address, query) => serveHolders(context, address, query));
  serve("/tokens/:address/transfers", (address, query) => serveTokenTransfers(context, address, query));
  serve("/search", (_, query) => serveSearch(context, query));
  serve("/search/quick", (_, query) => serveQuickSearch(context, query));
  serve("/search/check-redirect", (_, query) => serveRedirect(context, query));
}

type ServeList = (path: string, answer: (query: Query) => Promise<object>) => void;

function mainPageRoutes(serveList: ServeList, context: Context): void {
  const { settings } = context;
  serveList("/main-page/blocks", async (query) =>
    shapeList(await serveBlocks(context, query, MAIN_PAGE.blocks), settings),
  );
  serveList("/main-page/transactions", async (query) =>
    shapeList(await serveTransactions(context, query, MAIN_PAGE.transactions), settings),
  );
}

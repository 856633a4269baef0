import { HOT_SORTS, listHotContracts } from "../../../query/contracts/hotContracts.ts";
import { readRates } from "../../../query/exchange/rates.ts";
import { readIndexStatus } from "../../../query/indexStatus.ts";
import { COSTS } from "../../http/rateLimit.ts";
import { Type } from "../../openapi/type.ts";
import { always, arrayOf, count, decimal, empty, fields, text } from "../../openapi/values.ts";
import { serveBlocks } from "../blocks/blockRoutes.ts";
import { BlockSchema } from "../blocks/blockSchema.ts";
import { MAX_ROWS } from "../csv/serveCsv.ts";
import { presentPage } from "../envelope.ts";
import { BLOCK_TYPE, ORDERS, TRANSACTION_FILTER } from "../parameters.ts";
import { parseChoice, parseRankedPage } from "../params.ts";
import type { RestContext, Route } from "../route.ts";
import { listRoute, recordRoute } from "../route.ts";
import { serveTransactions } from "../transactions/transactionRoutes.ts";
import { TransactionSchema } from "../transactions/transactionSchema.ts";
import { HOT_PARAMETERS, HOT_SCALES, HotContractSchema } from "./hotContractSchema.ts";
import { presentHotContract } from "./presentHotContract.ts";
import { presentDay, presentDays, presentProgress, presentStats } from "./presentStats.ts";
import { IndexingStatusSchema, StatsSchema, TransactionStatsSchema } from "./statsSchema.ts";

/** Blockscout's defaults on the main page. */
export const MAIN_PAGE = { blocks: 4, transactions: 6 } as const;

/** Header with which newer clients request detailed gas prices. */
const FULL_PRICES = "updated-gas-oracle";

const tag = "Chain";

export const STATS_ROUTES: readonly Route[] = [
  recordRoute({
    path: "/stats",
    tag,
    summary: "[statistics](#stats) of the chain",
    record: StatsSchema,
    parameters: [
      {
        name: FULL_PRICES,
        in: "header",
        schema: Type.String({ description: "A request header: `true` returns detailed [gas prices](#gas-price)." }),
      },
    ],
    serve: async ({ network }, { headers }) =>
      presentStats(await network.stats.figures(), await readRates(network), headers[FULL_PRICES] === "true"),
  }),
  recordRoute({
    path: "/stats/charts/transactions",
    tag,
    summary: "transactions and active addresses of the last 30 days: [charts](#charts)",
    record: fields("by day", {
      chart_data: arrayOf(
        fields("one day", {
          date: text("the day in UTC"),
          transactions_count: count("its transactions"),
          active_addresses_count: count("addresses that sent or received one of them, or were created by one"),
        }),
        "the days, that of the newest block first",
      ),
    }),
    serve: async ({ network: { stats } }) => presentDays(await stats.days()),
  }),
  recordRoute({
    path: "/stats/charts/market",
    tag,
    summary: "[charts](#charts) of prices, empty because past prices are not kept",
    record: fields("without prices there is nothing to draw", {
      chart_data: empty("always empty"),
      available_supply: decimal("always 0"),
    }),
    serve: async () => ({ chart_data: [], available_supply: "0" }),
  }),
  listRoute({
    path: "/stats/hot-smart-contracts",
    tag,
    summary: "a [list](#list) of the [contracts](#hot-contract) that were called most of late",
    list: HotContractSchema,
    cost: COSTS.search,
    parameters: HOT_PARAMETERS,
    fails: [413],
    serve: async ({ network }, { query }) => {
      const by = {
        scale: parseChoice(query, "scale", HOT_SCALES),
        sort: parseChoice(query, "sort", HOT_SORTS),
        order: parseChoice(query, "order", ORDERS),
      };
      const { contracts, addresses, info } = await listHotContracts(network, by, parseRankedPage(query));
      return presentPage(
        contracts.map((contract) => presentHotContract(contract, addresses)),
        info,
      );
    },
  }),
  listRoute({
    path: "/main-page/blocks",
    tag,
    summary: "a [list](#list) of the [blocks](#block), newest first",
    list: BlockSchema,
    bareSize: MAIN_PAGE.blocks,
    isBare: true,
    parameters: [BLOCK_TYPE],
    serve: (context, { query }) => serveBlocks(context, query, mainPageSize(context, "blocks")),
  }),
  listRoute({
    path: "/main-page/transactions",
    tag,
    summary: "a [list](#list) of the [transactions](#transaction), newest first",
    list: TransactionSchema,
    bareSize: MAIN_PAGE.transactions,
    isBare: true,
    parameters: [TRANSACTION_FILTER],
    fails: [501],
    serve: (context, { query }) => serveTransactions(context, query, mainPageSize(context, "transactions")),
  }),
  recordRoute({
    path: "/main-page/indexing-status",
    tag,
    summary: "the [indexing status](#indexing-status)",
    record: IndexingStatusSchema,
    serve: async ({ network }) => presentProgress(await readIndexStatus(network)),
  }),
  recordRoute({
    path: "/config/backend-version",
    tag,
    summary: "`backend_version`: the version of Oriel",
    record: fields("the program", { backend_version: text("its version") }),
    serve: async ({ settings }) => ({ backend_version: settings.version }),
  }),
  recordRoute({
    path: "/config/backend",
    tag,
    summary: "what the records are like: `chain_type` and `chain_id`",
    record: fields("the chain", {
      chain_type: always("ethereum", "always `ethereum`: blocks and transactions have the fields of blobs"),
      chain_id: decimal("the id of the chain"),
    }),
    serve: async ({ settings }) => ({ chain_type: "ethereum" as const, chain_id: String(settings.chainId) }),
  }),
  recordRoute({
    path: "/config/csv-export",
    tag,
    summary: "what a [CSV](#csv) file may have: `limit` and `async_enabled`",
    record: fields("files of lists", {
      limit: count("rows of one file"),
      async_enabled: always(false, "always false: a file is sent while it is made"),
    }),
    serve: async () => ({ limit: MAX_ROWS, async_enabled: false as const }),
  }),
  recordRoute({
    path: "/transactions/stats",
    tag,
    summary: "[statistics](#transaction-stats) of the last 24 hours",
    record: TransactionStatsSchema,
    serve: async ({ network: { stats, node } }) => presentDay(await stats.dailyFees(), await node?.pending.count()),
  }),
];

/** Undefined for the standard size (specification, section 8). */
function mainPageSize({ settings }: RestContext, list: keyof typeof MAIN_PAGE): number | undefined {
  return settings.compat === "blockscout" ? MAIN_PAGE[list] : undefined;
}

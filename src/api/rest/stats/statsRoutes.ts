import { Type } from "typebox";
import type { DayOfFees } from "../../../query/stats/chainStats.ts";
import type { DayCount } from "../../../query/stats/charts.ts";
import type { State } from "../../health/status.ts";
import { READY_LAG, readState } from "../../health/status.ts";
import type { Shape } from "../../openapi/values.ts";
import { arrayOf, count, decimal, empty, fields, text } from "../../openapi/values.ts";
import { timestamp } from "../amounts.ts";
import { serveBlocks } from "../../../query/blocks/blockPages.ts";
import { BlockSchema } from "../blocks/blockSchema.ts";
import { BLOCK_TYPE, TRANSACTION_FILTER } from "../parameters.ts";
import type { Route } from "../route.ts";
import { serveTransactions } from "../../../query/transactions/transactionPages.ts";
import { TransactionSchema } from "../transactions/transactionSchema.ts";
import { presentStats } from "./presentStats.ts";
import { IndexingStatusSchema, StatsSchema, TransactionStatsSchema } from "./statsSchema.ts";

/** Items on a page of the newest blocks and transactions, where nobody asks for another size. */
export const MAIN_PAGE = { blocks: 4, transactions: 6 } as const;

/** Newer clients say with this header that they want gas prices in full. */
const FULL_PRICES = "updated-gas-oracle";

const tag = "Chain";

/** What is said of the chain as a whole, and what a main page shows of it. */
export const STATS_ROUTES: readonly Route[] = [
  {
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
    serve: async ({ stats }, { headers }) => presentStats(await stats.figures(), headers[FULL_PRICES] === "true"),
  },
  {
    path: "/stats/charts/transactions",
    tag,
    summary: "daily transactions of the last 30 days: [charts](#charts)",
    record: fields("by day", {
      chart_data: arrayOf(
        fields("one day", { date: text("the day in UTC"), transactions_count: count("its transactions") }),
        "the days, that of the newest block first",
      ),
    }),
    serve: async ({ stats }) => presentDays(await stats.days()),
  },
  {
    path: "/stats/charts/market",
    tag,
    summary: "[charts](#charts) of prices, empty because Oriel has no prices",
    record: fields("without prices there is nothing to draw", {
      chart_data: empty("always empty"),
      available_supply: decimal("always 0"),
    }),
    serve: async () => ({ chart_data: [], available_supply: "0" }),
  },
  {
    path: "/main-page/blocks",
    tag,
    summary: `a [list](#list) of the [blocks](#block), newest first, ${MAIN_PAGE.blocks} on a page`,
    list: BlockSchema,
    pageSize: MAIN_PAGE.blocks,
    isBare: true,
    parameters: [BLOCK_TYPE],
    serve: (context, { query }) => serveBlocks(context, query, MAIN_PAGE.blocks),
  },
  {
    path: "/main-page/transactions",
    tag,
    summary: `a [list](#list) of the [transactions](#transaction), newest first, ${MAIN_PAGE.transactions} on a page`,
    list: TransactionSchema,
    pageSize: MAIN_PAGE.transactions,
    isBare: true,
    parameters: [TRANSACTION_FILTER],
    serve: (context, { query }) => serveTransactions(context, query, MAIN_PAGE.transactions),
  },
  {
    path: "/main-page/indexing-status",
    tag,
    summary: "the [indexing status](#indexing-status)",
    record: IndexingStatusSchema,
    serve: async (context) => presentProgress(await readState(context)),
  },
  {
    path: "/config/backend-version",
    tag,
    summary: "`backend_version`: the version of Oriel",
    record: fields("the program", { backend_version: text("its version") }),
    serve: async ({ settings }) => ({ backend_version: settings.version }),
  },
  {
    path: "/transactions/stats",
    tag,
    summary: "[statistics](#transaction-stats) of the last 24 hours",
    record: TransactionStatsSchema,
    serve: async ({ stats }) => presentDay(await stats.dailyFees()),
  },
];

/** A chain may claim any time: days without a date in four digits of a year are not shown, nor what is before them. */
function presentDays(days: readonly DayCount[]) {
  const dates = days.map(({ start }) => timestamp(start)?.slice(0, 10));
  const dated = dates.every((date) => date !== undefined) ? dates : [];
  return { chart_data: dated.map((date, at) => ({ date, transactions_count: days[at]!.transactions })) };
}

function presentDay(
  { transactions, fees }: DayOfFees = { transactions: 0, fees: 0n },
): Shape<typeof TransactionStatsSchema> {
  return {
    transactions_count_24h: String(transactions),
    pending_transactions_count: null,
    transaction_fees_sum_24h: fees.toString(),
    transaction_fees_avg_24h: (transactions === 0 ? 0n : fees / BigInt(transactions)).toString(),
  };
}

/** Where the node does not answer, what is indexed is all that is known of. */
function presentProgress({ tip, since, lag }: State): Shape<typeof IndexingStatusSchema> {
  const isFinished = tip !== undefined && (lag ?? 0) <= READY_LAG;
  const reached = tip === undefined || since === null ? 0 : tip.number - since + 1;
  const known = Math.max(reached + (lag ?? 0), 1);
  return {
    finished_indexing: isFinished,
    finished_indexing_blocks: isFinished,
    indexed_blocks_ratio: (Math.floor((reached / known) * 10_000) / 10_000).toFixed(4),
    indexed_internal_transactions_ratio: null,
  };
}

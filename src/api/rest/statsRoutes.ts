import type { FastifyInstance } from "fastify";
import type { Context } from "../context.ts";
import { serveRead } from "../http.ts";
import type { State } from "../status.ts";
import { READY_LAG, readState } from "../status.ts";
import type { DayFigures } from "./chainFigures.ts";
import { readDay, readFigures } from "./chainFigures.ts";
import { readDays } from "./charts.ts";
import { FeeSums } from "./feeSums.ts";
import { perTip } from "./perTip.ts";
import { presentStats } from "./stats.ts";

/** Newer clients say with this header that they want gas prices in full. */
const FULL_PRICES = "updated-gas-oracle";

/** What is said of the chain as a whole, each figure worked out once for a tip. */
export function statsRoutes(app: FastifyInstance, context: Context): void {
  const { store } = context;
  const figures = perTip(store, async (reach) => reach && readFigures(store, reach));
  const days = perTip(store, async (reach) => (reach === undefined ? [] : readDays(store, reach)));
  const dailyFees = feesOfTheDay(context);

  serveRead(app, "/api/v2/stats", async ({ headers }, reply) => {
    reply.header("vary", FULL_PRICES);
    return presentStats(await figures(), headers[FULL_PRICES] === "true");
  });
  serveRead(app, "/api/v2/stats/charts/transactions", async () => ({ chart_data: await days() }));
  serveRead(app, "/api/v2/stats/charts/market", async () => NO_MARKET);
  serveRead(app, "/api/v2/transactions/stats", async () => presentDay(await dailyFees()));
  serveRead(app, "/api/v2/main-page/indexing-status", async () => presentProgress(await readState(context)));
  serveRead(app, "/api/v2/config/backend-version", async () => ({ backend_version: context.settings.version }));
}

/** Without prices there is no market to draw. */
const NO_MARKET = { chart_data: [], available_supply: "0" } as const;

interface DayOfFees extends Pick<DayFigures, "transactions"> {
  readonly fees: bigint;
}

function feesOfTheDay({ store }: Context): () => Promise<DayOfFees | undefined> {
  const sums = new FeeSums(store);
  const day = perTip(store, async (reach) => reach && { ...(await readDay(store, reach)), tip: reach.tip.number });
  const ofTip = perTip(store, async (reach) => {
    if (reach === undefined) return undefined;
    const { firstBlock, transactions } = await readDay(store, reach);
    return { transactions, fees: await sums.sum(firstBlock, reach.tip.number) };
  });
  return async () => {
    const range = await day();
    if (range !== undefined) await sums.prepare(range.firstBlock, range.tip);
    return ofTip();
  };
}

function presentDay({ transactions, fees }: DayOfFees = { transactions: 0, fees: 0n }) {
  return {
    transactions_count_24h: String(transactions),
    pending_transactions_count: null,
    transaction_fees_sum_24h: fees.toString(),
    transaction_fees_avg_24h: (transactions === 0 ? 0n : fees / BigInt(transactions)).toString(),
  };
}

/** Where the node does not answer, what is indexed is all that is known of. */
function presentProgress({ tip, since, lag }: State) {
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

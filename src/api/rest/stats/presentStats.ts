import type { Rates } from "../../../query/exchange/rates.ts";
import type { IndexStatus } from "../../../query/indexStatus.ts";
import { READY_LAG } from "../../../query/indexStatus.ts";
import type { ChainFigures } from "../../../query/stats/chainFigures.ts";
import type { DayOfFees } from "../../../query/stats/chainStats.ts";
import type { DayCount } from "../../../query/stats/charts.ts";
import type { GasPrice } from "../../../query/stats/gasPrices.ts";
import type { Shape } from "../../openapi/values.ts";
import { percentage, timestamp } from "../amounts.ts";
import type { GasPriceSchema, IndexingStatusSchema, StatsSchema, TransactionStatsSchema } from "./statsSchema.ts";

/** Specification, section 4.1. Newer clients request detailed gas prices. */
export function presentStats(
  figures: ChainFigures | undefined,
  rates: Rates,
  isFull: boolean,
): Shape<typeof StatsSchema> {
  const { tip, first, day, blockTime, used } = figures ?? NOTHING;
  return {
    total_blocks: String(tip === undefined ? 0 : tip.number - first + 1),
    total_transactions: String(tip?.totals.transactions ?? 0),
    total_addresses: String(tip?.totals.addresses ?? 0),
    total_gas_used: String(tip?.totals.gasUsed ?? 0),
    transactions_today: String(day.transactions),
    gas_used_today: String(day.gasUsed),
    average_block_time: blockTime,
    gas_prices: figures === undefined ? null : presentGasPrices(figures, rates, isFull),
    gas_prices_update_in: Math.round(Math.min(Math.max(blockTime, UPDATE.soonest), UPDATE.latest)),
    gas_price_updated_at: tip === undefined ? null : timestamp(tip.timestamp),
    network_utilization_percentage: percentage(used.gas, used.limit) ?? 0,
    coin_price: rates.coin ?? null,
    coin_price_change_percentage: rates.coinChange ?? null,
    tvl: rates.locked ?? null,
    ...UNKNOWN,
    block_number: tip?.number ?? null,
    since_block: tip === undefined ? null : first,
  };
}

const NOTHING = {
  tip: undefined,
  first: 0,
  day: { transactions: 0, gasUsed: 0 },
  blockTime: 0,
  used: { gas: 0n, limit: 0n },
} as const;

/** Milliseconds. Prices change with each block, within these bounds. */
export const UPDATE = { soonest: 1000, latest: 60_000 } as const;

const UNKNOWN = {
  static_gas_price: null,
  secondary_coin_price: null,
  coin_image: null,
  secondary_coin_image: null,
  market_cap: null,
} as const;

function presentGasPrices({ gasPrices: { slow, average, fast } }: ChainFigures, rates: Rates, isFull: boolean) {
  const inFull = (price: GasPrice) => presentInFull(price, rates);
  if (isFull) return { slow: inFull(slow), average: inFull(average), fast: inFull(fast) };
  return { slow: gwei(total(slow)), average: gwei(total(average)), fast: gwei(total(fast)) };
}

/** Gas of a native transfer. */
const TRANSFER_GAS = 21_000n;

function presentInFull(price: GasPrice, rates: Rates): Shape<typeof GasPriceSchema> {
  return {
    price: gwei(total(price)),
    time: null,
    fiat_price: rates.ofWei(total(price) * TRANSFER_GAS) ?? null,
    base_fee: price.baseFee === undefined ? null : gwei(price.baseFee),
    priority_fee: gwei(price.tip),
    priority_fee_wei: price.tip.toString(),
    wei: total(price).toString(),
  };
}

function total({ baseFee, tip }: GasPrice): bigint {
  return (baseFee ?? 0n) + tip;
}

function gwei(wei: bigint): number {
  return Number(wei) / 1e9;
}

/** A chain may claim any time: omits days outside four-digit years, and those before them. */
export function presentDays(days: readonly DayCount[]) {
  const chart = days.map(({ start, transactions, activeAddresses }) => ({
    date: timestamp(start)?.slice(0, 10) ?? "",
    transactions_count: transactions,
    active_addresses_count: activeAddresses,
  }));
  return { chart_data: chart.some(({ date }) => date === "") ? [] : chart };
}

export function presentDay(
  { transactions, fees }: DayOfFees = { transactions: 0, fees: 0n },
  pending: number | undefined,
): Shape<typeof TransactionStatsSchema> {
  return {
    transactions_count_24h: String(transactions),
    pending_transactions_count: pending === undefined ? null : String(pending),
    transaction_fees_sum_24h: fees.toString(),
    transaction_fees_avg_24h: (transactions === 0 ? 0n : fees / BigInt(transactions)).toString(),
  };
}

/** Falls back to the indexed height if the node does not answer. */
export function presentProgress({
  tip,
  since,
  lag,
  traces,
  forkedAt,
}: IndexStatus): Shape<typeof IndexingStatusSchema> {
  const isFinished = tip !== undefined && (lag ?? 0) <= READY_LAG && forkedAt === null;
  const untraced = traces === undefined || tip === undefined ? 0 : tip.number - (traces.block ?? -1);
  const reachedBy = (block: number | undefined) => (block === undefined || since === null ? 0 : block - since + 1);
  const reached = reachedBy(tip?.number);
  const known = Math.max(reached + (lag ?? 0), 1);
  const ratio = (blocks: number) => (Math.floor((blocks / known) * 10_000) / 10_000).toFixed(4);
  return {
    finished_indexing: isFinished && untraced <= READY_LAG,
    finished_indexing_blocks: isFinished,
    indexed_blocks_ratio: ratio(reached),
    indexed_internal_transactions_ratio: traces === undefined ? null : ratio(reachedBy(traces.block ?? undefined)),
  };
}

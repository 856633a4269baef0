import type { TSchema } from "typebox";
import { Type } from "typebox";
import { as, count, decimal, flag, nullToday, number, orNull, record, time } from "../../openapi/values.ts";

/** What to pay for a unit of gas by a transaction that may wait, should not wait, or must not. */
const bySpeed = <T extends TSchema>(price: (description: string) => T) =>
  Type.Object(
    {
      slow: price("what a transaction pays that may wait"),
      average: price("what one pays that should not wait"),
      fast: price("what one pays that must not wait"),
    },
    { additionalProperties: false },
  );

export const GasPriceSchema = record("Gas price", {
  price: number("base fee and tip, in Gwei"),
  time: nullToday("when a transaction was sent is not on the chain"),
  fiat_price: nullToday("there are no prices"),
  base_fee: orNull(number("the base fee of the next block, in Gwei; null before EIP-1559")),
  priority_fee: number("the tip, in Gwei"),
  priority_fee_wei: decimal("the tip, in wei"),
  wei: decimal("base fee and tip, in wei"),
});

export const StatsSchema = record("Stats", {
  total_blocks: decimal("blocks"),
  total_transactions: decimal("transactions"),
  total_addresses: decimal(
    "addresses the chain has shown: of transactions, logs and [topics](decisions/address-topics.md)",
  ),
  total_gas_used: decimal("gas used"),
  transactions_today: decimal("transactions of the 24 hours before the time of the newest block, that block included"),
  gas_used_today: decimal("gas used in the same time"),
  average_block_time: number(
    "milliseconds between blocks, over the newest 100; the genesis block does not count; 0 with fewer than two",
  ),
  gas_prices: Type.Union([bySpeed(number), bySpeed((description) => as(GasPriceSchema, description)), Type.Null()], {
    description: "`slow`, `average` and `fast`: what to pay for a unit of gas, in Gwei; null while nothing is indexed",
  }),
  gas_prices_update_in: count("milliseconds after which to ask again: the average block time, from 1,000 to 60,000"),
  gas_price_updated_at: orNull(time("the time of the newest block; null while nothing is indexed")),
  network_utilization_percentage: number("gas used of the gas limits, over the newest 100 blocks"),
  static_gas_price: nullToday("prices are those that were paid"),
  coin_price: nullToday("there are no prices"),
  coin_price_change_percentage: nullToday("there are no prices"),
  secondary_coin_price: nullToday("there are no prices"),
  coin_image: nullToday("there is no source of it"),
  secondary_coin_image: nullToday("there is no source of it"),
  market_cap: nullToday("there are no prices"),
  tvl: nullToday("there are no prices"),
  block_number: orNull(count("the newest indexed block; null while nothing is indexed")),
  since_block: orNull(count("the first indexed block; null while nothing is indexed")),
});

export const TransactionStatsSchema = record("Transaction stats", {
  transactions_count_24h: decimal("transactions"),
  pending_transactions_count: nullToday("what waits is known to nodes alone"),
  transaction_fees_sum_24h: decimal("what all senders paid, blob fees included"),
  transaction_fees_avg_24h: decimal("the same for one transaction, without the part of a wei"),
});

export const IndexingStatusSchema = record("Indexing status", {
  finished_indexing: flag("whether the index is at most 5 blocks behind the node; true where the node does not answer"),
  finished_indexing_blocks: flag("the same"),
  indexed_blocks_ratio: Type.String({
    description: "from `0.0000` to `1.0000`: indexed blocks, of those from `since_block` to the head",
    pattern: "^(0\\.\\d{4}|1\\.0000)$",
  }),
  indexed_internal_transactions_ratio: nullToday("calls inside a transaction are not indexed: they need traces"),
});

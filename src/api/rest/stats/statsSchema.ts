import type { TSchema } from "typebox";
import { Type } from "../../openapi/type.ts";
import { as, count, decimal, flag, nullToday, number, orNull, price, record, time } from "../../openapi/values.ts";

/** Slow, average and fast. */
const bySpeed = <T extends TSchema>(price: (description: string) => T) =>
  Type.Object(
    {
      slow: price("the price for a slow transaction"),
      average: price("the price for an average transaction"),
      fast: price("the price for a fast transaction"),
    },
    { additionalProperties: false },
  );

export const GasPriceSchema = record("Gas price", {
  price: number("base fee plus tip, in Gwei"),
  time: nullToday("the chain does not record when a transaction was sent"),
  fiat_price: orNull(
    price(
      "what a transfer of the coin (21,000 gas) costs, in US dollars; null without a [price](exchange-api.md#prices)",
    ),
  ),
  base_fee: orNull(number("the base fee of the next block, in Gwei; null before EIP-1559")),
  priority_fee: number("the tip, in Gwei"),
  priority_fee_wei: decimal("the tip, in wei"),
  wei: decimal("base fee plus tip, in wei"),
});

export const StatsSchema = record("Stats", {
  total_blocks: decimal("blocks"),
  total_transactions: decimal("transactions"),
  total_addresses: decimal(
    "addresses seen on the chain: in transactions, logs and [topics](decisions/address-topics.md)",
  ),
  total_gas_used: decimal("gas used"),
  transactions_today: decimal("transactions in the 24 hours before the time of the newest block, including that block"),
  gas_used_today: decimal("gas used in the same time"),
  average_block_time: number(
    "average milliseconds between blocks, over the newest 100; the genesis block does not count; 0 with fewer than two blocks",
  ),
  gas_prices: Type.Union([bySpeed(number), bySpeed((description) => as(GasPriceSchema, description)), Type.Null()], {
    description: "`slow`, `average` and `fast`: suggested gas prices, in Gwei; null while nothing is indexed",
  }),
  gas_prices_update_in: count(
    "milliseconds until the prices should be read again: the average block time, from 1,000 to 60,000",
  ),
  gas_price_updated_at: orNull(time("the time of the newest block; null while nothing is indexed")),
  network_utilization_percentage: number("gas used as a percentage of the gas limits, over the newest 100 blocks"),
  static_gas_price: nullToday("prices are computed from recent blocks"),
  coin_price: orNull(price("the [price](exchange-api.md#prices) of the native coin in US dollars; null without one")),
  coin_price_change_percentage: orNull(number("by how many percent it changed in 24 hours; null without a price then")),
  secondary_coin_price: nullToday("there is no source for it"),
  coin_image: nullToday("there is no source for it"),
  secondary_coin_image: nullToday("there is no source for it"),
  market_cap: nullToday("there is no source for it"),
  tvl: orNull(
    price("the [value](exchange-api.md#values) of the anchors that all pools hold, in US dollars; null without prices"),
  ),
  block_number: orNull(count("the newest indexed block; null while nothing is indexed")),
  since_block: orNull(count("the first indexed block; null while nothing is indexed")),
});

export const TransactionStatsSchema = record("Transaction stats", {
  transactions_count_24h: decimal("transactions"),
  pending_transactions_count: orNull(
    decimal("transactions in the node's pool that could be in the next block; null if the node has no `txpool_status`"),
  ),
  transaction_fees_sum_24h: decimal("fees paid by all senders, including blob fees"),
  transaction_fees_avg_24h: decimal("average fee of a transaction, rounded down to whole wei"),
});

const fraction = (description: string) => Type.String({ description, pattern: "^(0\\.\\d{4}|1\\.0000)$" });

export const IndexingStatusSchema = record("Indexing status", {
  finished_indexing: flag(
    "`finished_indexing_blocks`, and if blocks are traced, whether the internal transactions are at most 5 blocks behind the index",
  ),
  finished_indexing_blocks: flag(
    "whether the index is at most 5 blocks behind the node, and on its branch; true if the node does not respond",
  ),
  indexed_blocks_ratio: fraction(
    "the fraction of the blocks from `since_block` to the head that are indexed, from `0.0000` to `1.0000`",
  ),
  indexed_internal_transactions_ratio: orNull(
    fraction("the fraction of the same blocks that are [traced](traces.md); null if traces were never on"),
  ),
});

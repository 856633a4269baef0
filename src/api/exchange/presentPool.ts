import { checksumAddress } from "../../chain/encoding/checksum.ts";
import { fromHex, toHex } from "../../chain/encoding/hex.ts";
import type { Fraction } from "../../exchange/decimal.ts";
import { formatAmount, formatFraction, formatPrice, unitsOf } from "../../exchange/decimal.ts";
import { SCALE } from "../../exchange/prices.ts";
import type { ListedPool } from "../../query/exchange/listedPools.ts";
import type { Period } from "../../query/exchange/poolHistory.ts";
import type { Candle } from "../../query/pools/candles.ts";
import type { LockedPoint } from "../../query/pools/lockedHistory.ts";
import type { PoolDetail } from "../../query/pools/poolDetail.ts";
import type { PoolEvent } from "../../query/pools/poolEvents.ts";
import type { PriceChange } from "../../query/pools/poolFigures.ts";
import { poolIdOf } from "../../query/pools/poolId.ts";
import type { PoolRecord, PoolToken } from "../../query/pools/poolRecords.ts";
import { inQuote } from "../../query/pools/poolRecords.ts";
import type { MinedSwap } from "../../query/pools/swaps.ts";
import { constant } from "../http/stringify.ts";
import type { Shape } from "../openapi/values.ts";
import type {
  CandleSchema,
  LockedSchema,
  PairSchema,
  PoolDetailSchema,
  PoolEventSchema,
  PoolSchema,
  SwapSchema,
} from "./exchangeSchema.ts";
import { instantOf } from "./instant.ts";

/** Decimal places. */
const PLACES = { dollars: 8, percent: 4, fraction: 8 } as const;

export const dollars = (value: bigint) => formatFraction(value, SCALE, PLACES.dollars);

/** Converts the value of a smallest unit to that of a whole token. */
export function priceOfToken(value: bigint, decimals: number): string {
  return formatPrice(value * unitsOf(decimals), SCALE);
}

export function presentPair(pool: ListedPool, chainId: number): Shape<typeof PairSchema> {
  const { type, token0, token1 } = pool;
  return {
    chain_id: chainId,
    pair: poolIdOf(pool),
    poolType: type,
    token0: checksumAddress(token0.address),
    token1: checksumAddress(token1.address),
  };
}

/** Records are immutable. */
const presented = new WeakMap<PoolRecord, Shape<typeof PoolSchema>>();

export function presentPool(record: PoolRecord, hasUserLiquidity: boolean): Shape<typeof PoolSchema> {
  const known = presented.get(record) ?? constant(presentRecord(record));
  presented.set(record, known);
  return hasUserLiquidity ? { ...known, hasUserLiquidity } : known;
}

function presentRecord(record: PoolRecord): Shape<typeof PoolSchema> {
  const { pool, token0, token1, base, quote, figures } = record;
  const volumes = [figures.volume0, figures.volume1] as const;
  const [baseVolume, quoteVolume] = base === token0 ? volumes : ([volumes[1], volumes[0]] as const);
  return {
    poolId: poolIdOf(pool),
    name: poolName(record),
    dex: pool.dex,
    poolType: pool.type,
    feeTier: String(record.fee),
    baseTokenAddress: checksumAddress(base.listed.address),
    quoteTokenAddress: checksumAddress(quote.listed.address),
    token0Amount: formatAmount(figures.balance0, token0.decimals),
    token1Amount: formatAmount(figures.balance1, token1.decimals),
    baseTokenVolume24: formatAmount(baseVolume, base.decimals),
    quoteTokenVolume24: formatAmount(quoteVolume, quote.decimals),
    volumeUsd24: dollars(figures.traded),
    volumeChangePercent: percent(figures.tradedChange),
    fees24Usd: dollars(figures.fees),
    feeApr: formatFraction(figures.apr.numerator, figures.apr.denominator, PLACES.fraction),
    fdvUsd: dollars(record.dilutedValue),
    tvlChangePercent: percent(figures.lockedChange),
    transactionsH24: String(figures.transactions),
    hasUserLiquidity: false,
    tvlUsd: dollars(figures.locked),
    factory: checksumAddress(fromHex(pool.factory)),
    createdAt: instantOf(record.createdAt),
    ...presentPeriods(record),
    priceChangePercentH24: percent(changeOf(record, figures.priceChange)),
  };
}

const PERIODS = { h1: "H1", h6: "H6", d7: "D7", d30: "D30" } as const;

type PeriodFields = Pick<Shape<typeof PoolSchema>, `${PeriodField}${(typeof PERIODS)[Period]}`>;
type PeriodField = "volumeUsd" | "feesUsd" | "transactions" | "priceChangePercent";

function presentPeriods(record: PoolRecord): PeriodFields {
  const entries = Object.entries(PERIODS).flatMap(([period, name]) => {
    const { traded, fees, transactions, priceChange } = record.periods[period as Period];
    return [
      [`volumeUsd${name}`, dollars(traded)],
      [`feesUsd${name}`, dollars(fees)],
      [`transactions${name}`, String(transactions)],
      [`priceChangePercent${name}`, percent(changeOf(record, priceChange))],
    ];
  });
  return Object.fromEntries(entries) as PeriodFields;
}

/** Of the base token in quote tokens. */
const changeOf = ({ base, token0 }: PoolRecord, { direct, inverse }: PriceChange) =>
  base === token0 ? direct : inverse;

export const poolName = ({ token0, token1 }: PoolRecord) => `${symbolOf(token0)}/${symbolOf(token1)}`;

function symbolOf({ symbol }: PoolToken): string {
  return symbol === null || symbol === "" ? "UNKNOWN" : symbol;
}

export function percent({ numerator, denominator }: Fraction): string {
  return formatFraction(numerator * 100n, denominator, PLACES.percent);
}

export function presentPoolDetail({
  record,
  hasUserLiquidity,
  basePrice,
  quotePrice,
  block,
}: PoolDetail): Shape<typeof PoolDetailSchema> {
  const { pool, base, quote, figures } = record;
  return {
    ...presentPool(record, hasUserLiquidity),
    price: figures.price === undefined ? "0" : quoteText(record, figures.price),
    basePriceUsd: priceOfToken(basePrice, base.decimals),
    quotePriceUsd: priceOfToken(quotePrice, quote.decimals),
    created_at_block: pool.since,
    block_number: block,
  };
}

/** Whole quote tokens per whole base token. */
function quoteText(record: PoolRecord, price: Fraction): string {
  const { numerator, denominator } = inQuote(record, price);
  return formatPrice(numerator, denominator);
}

export function presentCandle(record: PoolRecord, candle: Candle): Shape<typeof CandleSchema> {
  const { token0, token1, base } = record;
  const isFirst = base === token0;
  const [amount0, amount1] = [
    formatAmount(candle.volume0, token0.decimals),
    formatAmount(candle.volume1, token1.decimals),
  ];
  return {
    timestamp: candle.timestamp,
    open: quoteText(record, candle.open),
    // Inverting swaps high and low.
    high: quoteText(record, isFirst ? candle.high : candle.low),
    low: quoteText(record, isFirst ? candle.low : candle.high),
    close: quoteText(record, candle.close),
    baseVolume: isFirst ? amount0 : amount1,
    quoteVolume: isFirst ? amount1 : amount0,
    swaps: candle.swaps,
  };
}

export function presentLocked(
  { token0, token1, quote }: PoolRecord,
  { timestamp, balance0, balance1, locked, inQuote }: LockedPoint,
): Shape<typeof LockedSchema> {
  return {
    timestamp,
    tvlUsd: dollars(locked),
    tvlQuote: formatAmount(inQuote, quote.decimals),
    token0Amount: formatAmount(balance0, token0.decimals),
    token1Amount: formatAmount(balance1, token1.decimals),
  };
}

export function presentSwap({ token0, base, quote }: PoolRecord, swap: MinedSwap): Shape<typeof SwapSchema> {
  const [baseAmount, quoteAmount] = base === token0 ? [swap.amount0, swap.amount1] : [swap.amount1, swap.amount0];
  const size = (amount: bigint) => (amount < 0n ? -amount : amount);
  return {
    transaction_hash: toHex(swap.transactionHash),
    log_index: swap.logIndex,
    block_number: swap.block,
    timestamp: swap.timestamp,
    type: baseAmount < 0n ? "buy" : "sell",
    sender: checksumAddress(swap.sender),
    recipient: checksumAddress(swap.recipient),
    baseAmount: formatAmount(size(baseAmount), base.decimals),
    quoteAmount: formatAmount(size(quoteAmount), quote.decimals),
  };
}

export function presentPoolEvent({ token0, token1 }: PoolRecord, event: PoolEvent): Shape<typeof PoolEventSchema> {
  const { ticks, liquidity, sender, account } = event;
  return {
    transaction_hash: toHex(event.transactionHash),
    log_index: event.logIndex,
    block_number: event.block,
    timestamp: event.timestamp,
    type: event.type,
    sender: sender === undefined ? null : checksumAddress(sender),
    account: account === undefined ? null : checksumAddress(account),
    token0Amount: formatAmount(event.amount0, token0.decimals),
    token1Amount: formatAmount(event.amount1, token1.decimals),
    tickLower: ticks?.[0] ?? null,
    tickUpper: ticks?.[1] ?? null,
    liquidity: liquidity === undefined ? null : String(liquidity),
  };
}

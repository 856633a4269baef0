import { POOL_TYPES } from "../../chain/exchange/exchangeFields.ts";
import { EVENT_TYPES } from "../../query/pools/poolEvents.ts";
import { POOL_SORTS } from "../../query/pools/poolOrder.ts";
import { Type } from "../openapi/type.ts";
import {
  address,
  always,
  arrayOf,
  as,
  count,
  decimal,
  fields,
  flag,
  hash,
  orNull,
  price,
  record,
  text,
  words,
} from "../openapi/values.ts";

/** A plain decimal, possibly negative. */
export const plain = (description: string) =>
  Type.String({ description, pattern: "^(0|-?(0|[1-9][0-9]*)(\\.[0-9]*[1-9])?)$" });

const instant = (description: string) =>
  Type.String({ description, pattern: "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ$" });

export const TYPE_TEXT = "`v2`, `v3` or, only if it is asked for, `v4`, `infinity`, `algebra`, `volatile` or `stable`";

/** An address, or what a pool without one is called by. */
export const poolId = (description: string) =>
  Type.String({ description, pattern: "^0x([0-9a-fA-F]{40}|[0-9a-f]{64}|[0-9a-f]{104})$" });

export const PairSchema = record("Pair", {
  chain_id: count("the chain id"),
  pair: poolId("the address of the pool, or the [id](#v4-pools) of one without"),
  poolType: words(POOL_TYPES, TYPE_TEXT),
  token0: address("the token with the lower address"),
  token1: address("the other token"),
});

const POOL_FIELDS = {
  poolId: poolId("the address of the pool, or the [id](#v4-pools) of one without"),
  name: text("the symbols of token0 and token1; `UNKNOWN` for a token that does not say"),
  dex: text(
    "the name of the exchange, as configured for its factory or [known by its code](#which-pools-count); else `unknown-` and the first 8 digits of the factory",
  ),
  poolType: words(POOL_TYPES, TYPE_TEXT),
  feeTier: price(
    "what the pool takes of a trade, in hundredths of a basis point: 3000 is 0.30 %; of the last trade where each has its own",
  ),
  baseTokenAddress: address("the token that is not the quote token"),
  quoteTokenAddress: address("a stable before the wrapped coin, that before any other token; else token1"),
  token0Amount: price("what the pool holds of token0, in whole tokens"),
  token1Amount: price("what the pool holds of token1, in whole tokens"),
  baseTokenVolume24: price("what was traded of the base token in [24 hours](#windows), in whole tokens"),
  quoteTokenVolume24: price("what was traded of the quote token, in whole tokens"),
  volumeUsd24: price("the [value](#values) of what was traded, in US dollars"),
  volumeChangePercent: plain("the change against the 24 hours before, in percent"),
  fees24Usd: price("what traders paid for it in fees, the protocol's share included, in US dollars"),
  feeApr: price("the fees of 365 such days without the protocol's share, as a fraction of what is locked"),
  fdvUsd: price("the supply of the base token at its [price](#prices), in US dollars"),
  tvlChangePercent: plain("the change of what is locked against 24 hours ago, in percent"),
  transactionsH24: price("transactions that traded, added or removed liquidity"),
  hasUserLiquidity: flag("whether `user` has shares of the pair or a position with liquidity; false without `user`"),
};

const PERIODS = { H1: "1 hour", H6: "6 hours", D7: "7 days", D30: "30 days" } as const;

/** Beyond the specification, which has exactly the others. */
const MORE_POOL_FIELDS = {
  tvlUsd: price("the [value](#values) of what the pool holds, in US dollars"),
  factory: address("the factory that created it"),
  createdAt: instant("the time of the block in which it was created"),
  ...ofPeriods("volumeUsd", (period) => price(`the value of what was traded in ${period}, in US dollars`)),
  ...ofPeriods("feesUsd", (period) => price(`what traders paid for it in fees in ${period}, in US dollars`)),
  ...ofPeriods("transactions", (period) => price(`transactions that traded, added or removed liquidity in ${period}`)),
  ...ofPeriods("priceChangePercent", (period) =>
    plain(`the change of the price in quote tokens in ${period}, in percent`),
  ),
  priceChangePercentH24: plain("the same in 24 hours"),
};

type PeriodName = keyof typeof PERIODS;

function ofPeriods<const N extends string, T>(name: N, make: (period: string) => T) {
  const entries = Object.entries(PERIODS).map(([period, words]) => [`${name}${period}`, make(words)]);
  return Object.fromEntries(entries) as Record<`${N}${PeriodName}`, T>;
}

export const PoolSchema = record("Pool", { ...POOL_FIELDS, ...MORE_POOL_FIELDS });

export const PoolDetailSchema = record("Pool in detail", {
  ...POOL_FIELDS,
  ...MORE_POOL_FIELDS,
  price: price("quote tokens for one base token"),
  basePriceUsd: price("the [price](#prices) of the base token, in US dollars"),
  quotePriceUsd: price("the price of the quote token, in US dollars"),
  created_at_block: count("the block in which the pool was created"),
  block_number: count("the block that all of this is true at"),
});

export const ExchangeTokenSchema = record("Exchange token", {
  id: count("grows with the order in which addresses were first seen on the chain"),
  token_address: address("the token"),
  chain_id: count("the chain id"),
  symbol: text("its symbol; empty where it does not say"),
  name: text("its name; empty where it does not say"),
  decimals: count("its decimals; 0 where it does not say"),
  last_updated: instant(
    "the time of the last block that changed one of its pools; without a pool of that in which it was last asked for its names, or the zero timestamp",
  ),
  created_at: always("0001-01-01T00:00:00Z", "always the zero timestamp, which clients expect"),
  first_seen_at: instant(
    "the time of the block in which the first pool of it was created; without a pool of the transaction that deployed it, or the zero timestamp",
  ),
});

export const CandleSchema = record("Candle", {
  timestamp: count("the beginning of the interval, in seconds since 1970"),
  open: price("quote tokens for one base token before the interval"),
  high: price("the highest price"),
  low: price("the lowest price"),
  close: price("the price after the interval"),
  baseVolume: price("what was traded of the base token, in whole tokens"),
  quoteVolume: price("what was traded of the quote token, in whole tokens"),
  swaps: count("how many swaps there were"),
});

export const LockedSchema = record("Value locked", {
  timestamp: count("the beginning of the interval, in seconds since 1970"),
  tvlUsd: price("the [value](#values) of what the pool held after the interval, in US dollars"),
  tvlQuote: price("the same in whole quote tokens, at the pool's own price"),
  token0Amount: price("what it held of token0, in whole tokens"),
  token1Amount: price("what it held of token1, in whole tokens"),
});

export const SwapSchema = record("Swap", {
  transaction_hash: hash("the transaction"),
  log_index: count("the index of its log in the block"),
  block_number: count("the block"),
  timestamp: count("the time of the block, in seconds since 1970"),
  type: words(["buy", "sell"], "`buy` where base tokens left the pool, `sell` where they came to it"),
  sender: address("who called the pool"),
  recipient: address("who got what left it"),
  baseAmount: price("base tokens that changed hands, in whole tokens"),
  quoteAmount: price("quote tokens that changed hands, in whole tokens"),
});

export const PoolEventSchema = record("Pool event", {
  transaction_hash: hash("the transaction"),
  log_index: count("the index of its log in the block"),
  block_number: count("the block"),
  timestamp: count("the time of the block, in seconds since 1970"),
  type: words(EVENT_TYPES, "`swap`, `mint` (liquidity was added), `burn` (it was removed) or `collect`"),
  sender: orNull(address("who called the pool; null where the event does not say")),
  account: orNull(
    address(
      "who received what left a swap or a pair, or the owner of a V3 position; null where the event does not say",
    ),
  ),
  token0Amount: plain("what came to the pool of token0, in whole tokens; negative where it left"),
  token1Amount: plain("what came to the pool of token1"),
  tickLower: orNull(Type.Integer({ description: "the lower tick of a V3 position; null otherwise" })),
  tickUpper: orNull(Type.Integer({ description: "its upper tick" })),
  liquidity: orNull(decimal("liquidity added to a V3 position, or removed from it; null otherwise")),
});

const SameSymbolSchema = record("Token with the same symbol", {
  token_address: address("the token"),
  symbol: text("its symbol"),
  name: text("its name; empty where it does not say"),
  tvlUsd: price("the value of all pools that have it, in US dollars"),
  isKnown: flag("whether a pool of a configured or known exchange has it"),
  first_seen_at: instant("as in an [exchange token](#exchange-token)"),
});

const TOKEN_FIELDS = ExchangeTokenSchema.properties;

export const TokenDetailSchema = record("Token in detail", {
  ...TOKEN_FIELDS,
  isKnown: flag("whether a pool of a configured or known exchange has it"),
  total_supply: orNull(price("its supply in whole tokens; null where it is not known")),
  priceUsd: price("its [price](#prices) in US dollars; 0 where nothing tells"),
  priceChangePercent24: plain("the change of that in 24 hours, in percent"),
  fdvUsd: price("its supply at that price, in US dollars"),
  tvlUsd: price("the [value](#values) of all pools that have it, in US dollars"),
  volumeUsd24: price("the value of what these traded in 24 hours, in US dollars"),
  pools: count("how many pools have it"),
  copies: count("how many other tokens have its symbol, in any case"),
  sameSymbol: arrayOf(SameSymbolSchema, "up to 20 of them: those whose pools have the highest value, then the oldest"),
  block_number: count("the block that all of this is true at"),
});

const StepSchema = record("Price step", {
  pool: poolId("a pool that the price comes from"),
  token: address("the token on its other side"),
  symbol: text("the symbol of that token; empty where it does not say"),
  priceUsd: price("its price, in US dollars"),
});

export const TokenPriceSchema = record("Token price", {
  token_address: address("the token"),
  symbol: text("its symbol; empty where it does not say"),
  priceUsd: price("what one whole token is worth, in US dollars; 0 where nothing tells"),
  depthUsd: orNull(
    price(
      "what the thinnest pool of the route holds; null for a token that is worth a dollar by configuration, and without a price",
    ),
  ),
  route: arrayOf(
    StepSchema,
    "the pools from the token to an anchor; empty for an anchor by configuration, and without a price",
  ),
  block_number: count("the block that this is true at"),
});

/** Of every answer that is no failure. */
export const DONE = { code: always(0, "0"), success: always(true, "`true`") };

export const PairsSchema = fields("all pairs", {
  data: arrayOf(PairSchema, "the pairs, newest first"),
  success: DONE.success,
});

const META = {
  count: count("pools on this page"),
  page_num: count("the page"),
  page_size: count("pools on a page"),
  pool_type: words(["all", ...POOL_TYPES, "any"], "which pools"),
  sort_by: words(
    POOL_SORTS,
    "what they are sorted by: `tvl` unless `sort_by` says otherwise, or `transactions` (those of 24 hours) where no anchor is configured or traded, so that nothing has a value",
  ),
  sort_order: words(["desc", "asc"], "`desc` with the highest first, unless `sort_order` says otherwise"),
  total: count("pools on all pages"),
};

export const PoolsSchema = fields("a page of pools", {
  data: arrayOf(PoolSchema, "the pools"),
  meta: as(record("Page of pools", META), "where the page stands"),
  ...DONE,
});

export const TokensSchema = fields("all tokens", { data: arrayOf(ExchangeTokenSchema, "the tokens, newest first") });

export const PoolAnswerSchema = fields("a pool", { data: as(PoolDetailSchema, "the pool"), ...DONE });

export const CandlesSchema = fields("candles", {
  data: arrayOf(CandleSchema, "the candles, oldest first"),
  ...DONE,
});

export const LockedHistorySchema = fields("what a pool held", {
  data: arrayOf(LockedSchema, "the intervals since the pool was created, oldest first"),
  ...DONE,
});

export const SwapsSchema = fields("swaps", {
  data: arrayOf(SwapSchema, "the swaps, newest first"),
  meta: as(
    record("Page of swaps", {
      count: count("swaps on this page"),
      page_num: count("the page"),
      page_size: count("swaps on a page"),
      total: count("all swaps of the pool"),
    }),
    "where the page stands",
  ),
  ...DONE,
});

export const PoolEventsSchema = fields("events", {
  data: arrayOf(PoolEventSchema, "the events, newest first"),
  meta: as(
    record("Page of events", {
      count: count("events on this page"),
      page_num: count("the page"),
      page_size: count("events on a page"),
      total: count("all such events of the pool"),
    }),
    "where the page stands",
  ),
  ...DONE,
});

export const TokenAnswerSchema = fields("a token", { data: as(TokenDetailSchema, "the token"), ...DONE });

export const PriceAnswerSchema = fields("a price", { data: as(TokenPriceSchema, "the price"), ...DONE });

export const FailureSchema = record("Exchange failure", {
  success: always(false, "`false`"),
  code: Type.Integer({ description: "the HTTP status", minimum: 400 }),
  message: text("what is wrong"),
});

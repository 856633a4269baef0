import { POOL_TYPES } from "../../chain/exchange/exchangeFields.ts";
import { address, arrayOf, as, count, decimal, fields, flag, price, record, text, words } from "../openapi/values.ts";
import { DONE, poolId } from "./exchangeSchema.ts";

const HopSchema = record("Hop", {
  pool: poolId("the pool"),
  dex: text("the name of its exchange"),
  poolType: words(POOL_TYPES, "`v2`, `v3`, `v4`, `infinity`, `algebra`, `volatile` or `stable`"),
  feeTier: price("what it takes, in hundredths of a basis point"),
  tokenIn: address("the token that goes in"),
  tokenOut: address("the token that comes out"),
  amountIn: price("what goes in, in whole tokens"),
  amountOut: price("what comes out, in whole tokens"),
  isEstimate: flag(
    "whether a [plugin](#algebra-pools) or the [factory](#volatile-and-stable-pools) of the pool may charge another fee, the fee of a pair is [assumed](#which-pools-count), or the share of the protocol is [not known](#infinity-pools); otherwise it is exact",
  ),
});

const QuotedRouteSchema = record("Quoted route", {
  sharePercent: price("its share of what goes in, in percent"),
  amountIn: decimal("what goes in, in smallest units"),
  amountOut: decimal("what comes out, in smallest units"),
  hops: arrayOf(HopSchema, "its one or two pools"),
});

export const QuoteSchema = record("Quote", {
  tokenIn: address("the token that goes in"),
  tokenOut: address("the token that comes out"),
  amountIn: price("what goes in, in whole tokens"),
  amountOut: price("what comes out, in whole tokens; 0 if no route takes all of it"),
  amountInUnits: decimal("what goes in, in smallest units"),
  amountOutUnits: decimal("what comes out, in smallest units"),
  price: price("what comes out for one token that goes in, fees included"),
  priceImpactPercent: price("how much less that is than at the prices before the swap, fees included, in percent"),
  routes: arrayOf(
    QuotedRouteSchema,
    "the swaps, which are counted one after the other in this order; empty without a route",
  ),
  block_number: count("the block that this is true at"),
});

export const QuoteAnswerSchema = fields("a quote", {
  data: as(QuoteSchema, "the quote"),
  ...DONE,
});

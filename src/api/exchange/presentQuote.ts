import { checksumAddress } from "../../chain/encoding/checksum.ts";
import { formatAmount, formatFraction, formatPrice, unitsOf } from "../../exchange/decimal.ts";
import { poolIdOf } from "../../query/pools/poolId.ts";
import type { Quote, QuotedHop } from "../../query/pools/quote.ts";
import type { Shape } from "../openapi/values.ts";
import type { QuoteSchema } from "./quoteSchema.ts";

const PERCENT_PLACES = 4;

export function presentQuote(quote: Quote): Shape<typeof QuoteSchema> {
  const { tokenIn, tokenOut, amountIn, amountOut } = quote;
  return {
    tokenIn: checksumAddress(tokenIn.listed.address),
    tokenOut: checksumAddress(tokenOut.listed.address),
    amountIn: formatAmount(amountIn, tokenIn.decimals),
    amountOut: formatAmount(amountOut, tokenOut.decimals),
    amountInUnits: String(amountIn),
    amountOutUnits: String(amountOut),
    price: formatPrice(amountOut * unitsOf(tokenIn.decimals), amountIn * unitsOf(tokenOut.decimals)),
    priceImpactPercent: impactOf(quote),
    routes: quote.routes.map((hops) => ({
      sharePercent: formatFraction(hops[0]!.amountIn * 100n, amountIn, PERCENT_PLACES),
      amountIn: String(hops[0]!.amountIn),
      amountOut: String(hops.at(-1)!.amountOut),
      hops: hops.map(presentHop),
    })),
    block_number: quote.block,
  };
}

function presentHop({ pool, tokenIn, tokenOut, amountIn, amountOut, fee, isEstimate }: QuotedHop) {
  return {
    pool: poolIdOf(pool),
    dex: pool.dex,
    poolType: pool.type,
    feeTier: String(fee),
    tokenIn: checksumAddress(tokenIn.listed.address),
    tokenOut: checksumAddress(tokenOut.listed.address),
    amountIn: formatAmount(amountIn, tokenIn.decimals),
    amountOut: formatAmount(amountOut, tokenOut.decimals),
    isEstimate,
  };
}

/** Rounding may give a little more than the price does. */
function impactOf({ amountOut, atPrice: { numerator, denominator } }: Quote): string {
  const lost = numerator - amountOut * denominator;
  return numerator <= 0n || lost <= 0n ? "0" : formatFraction(lost * 100n, numerator, PERCENT_PLACES);
}

import { checksumAddress } from "../../chain/encoding/checksum.ts";
import type { ExchangeToken, PricedToken } from "../../query/exchange/exchangeTokens.ts";
import type { Shape } from "../openapi/values.ts";
import type { ExchangeTokenSchema, TokenPriceSchema } from "./exchangeSchema.ts";
import { dollars, priceOfToken } from "./presentPool.ts";

/** What clients know the field to be, whatever the token. */
const ZERO_TIME = "0001-01-01T00:00:00Z";

export function presentExchangeToken(token: ExchangeToken, chainId: number): Shape<typeof ExchangeTokenSchema> {
  return {
    id: token.listed.number,
    token_address: checksumAddress(token.listed.address),
    chain_id: chainId,
    symbol: token.symbol ?? "",
    name: token.name ?? "",
    decimals: token.decimals,
    last_updated: timeOf(token.lastUpdated),
    created_at: ZERO_TIME,
    first_seen_at: timeOf(token.firstSeen),
  };
}

/** The last second that has four digits of a year. */
const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59) / 1000;

/** A chain may claim any time. */
function timeOf(seconds: number): string {
  return `${new Date(Math.min(seconds, LATEST) * 1000).toISOString().slice(0, 19)}Z`;
}

export function presentTokenPrice({ token, price, route, block }: PricedToken): Shape<typeof TokenPriceSchema> {
  return {
    token_address: checksumAddress(token.listed.address),
    symbol: token.symbol ?? "",
    priceUsd: priceOfToken(price?.value ?? 0n, token.decimals),
    depthUsd: price?.depth === undefined ? null : dollars(price.depth),
    route: route.map(({ pool, token: other, price: { value } }) => ({
      pool: checksumAddress(pool.address),
      token: checksumAddress(other.listed.address),
      symbol: other.symbol ?? "",
      priceUsd: priceOfToken(value, other.decimals),
    })),
    block_number: block,
  };
}

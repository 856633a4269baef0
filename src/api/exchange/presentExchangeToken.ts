import { checksumAddress } from "../../chain/encoding/checksum.ts";
import { formatAmount } from "../../exchange/decimal.ts";
import type { ExchangeToken } from "../../query/exchange/tokenCatalogue.ts";
import type { PricedToken } from "../../query/pools/exchangeTokens.ts";
import { poolIdOf } from "../../query/pools/poolId.ts";
import type { TokenDetail } from "../../query/pools/tokenDetail.ts";
import { Turn } from "../../std/async.ts";
import type { Shape } from "../openapi/values.ts";
import type { ExchangeTokenSchema, TokenDetailSchema, TokenPriceSchema } from "./exchangeSchema.ts";
import { instantOf, ZERO_TIME } from "./instant.ts";
import { dollars, percent, priceOfToken } from "./presentPool.ts";

export function presentExchangeToken(token: ExchangeToken, chainId: number): Shape<typeof ExchangeTokenSchema> {
  return {
    id: token.id,
    token_address: checksumAddress(token.address),
    chain_id: chainId,
    symbol: token.symbol ?? "",
    name: token.name ?? "",
    decimals: token.decimals,
    last_updated: instantOf(token.lastUpdated),
    created_at: ZERO_TIME,
    first_seen_at: instantOf(token.firstSeen),
  };
}

/** Lists and items are immutable, so each is serialized once. */
const itemTexts = new WeakMap<ExchangeToken, string>();
const listTexts = new WeakMap<readonly ExchangeToken[], Promise<Buffer>>();

export function writeTokens(tokens: readonly ExchangeToken[], chainId: number): Promise<Buffer> {
  const known = listTexts.get(tokens);
  if (known !== undefined) return known;
  const made = joinTokens(tokens, chainId);
  listTexts.set(tokens, made);
  return made;
}

/** Tokens joined between yields. */
const BATCH_SIZE = 200;

async function joinTokens(tokens: readonly ExchangeToken[], chainId: number): Promise<Buffer> {
  const parts: Buffer[] = [Buffer.from('{"data":[')];
  const turn = new Turn();
  for (let at = 0; at < tokens.length; at += BATCH_SIZE) {
    const some = tokens.slice(at, at + BATCH_SIZE).map((token) => textOf(token, chainId));
    parts.push(Buffer.from(`${at === 0 ? "" : ","}${some.join(",")}`));
    await turn.yieldToEventLoop();
  }
  return Buffer.concat([...parts, Buffer.from("]}")]);
}

function textOf(token: ExchangeToken, chainId: number): string {
  const known = itemTexts.get(token) ?? JSON.stringify(presentExchangeToken(token, chainId));
  itemTexts.set(token, known);
  return known;
}

export function presentTokenPrice({ token, price, route, block }: PricedToken): Shape<typeof TokenPriceSchema> {
  return {
    token_address: checksumAddress(token.listed.address),
    symbol: token.symbol ?? "",
    priceUsd: priceOfToken(price?.value ?? 0n, token.decimals),
    depthUsd: price?.depth === undefined ? null : dollars(price.depth),
    route: route.map(({ pool, token: other, price: { value } }) => ({
      pool: poolIdOf(pool),
      token: checksumAddress(other.listed.address),
      symbol: other.symbol ?? "",
      priceUsd: priceOfToken(value, other.decimals),
    })),
    block_number: block,
  };
}

export function presentTokenDetail(detail: TokenDetail, chainId: number): Shape<typeof TokenDetailSchema> {
  const { token, supply, price, priceBefore, market } = detail;
  const change =
    price > 0n && priceBefore > 0n
      ? { numerator: price - priceBefore, denominator: priceBefore }
      : { numerator: 0n, denominator: 1n };
  return {
    ...presentExchangeToken(token, chainId),
    isKnown: detail.isKnown,
    total_supply: supply === null ? null : formatAmount(supply, token.decimals),
    priceUsd: priceOfToken(price, token.decimals),
    priceChangePercent24: percent(change),
    fdvUsd: dollars(price * (supply ?? 0n)),
    tvlUsd: dollars(market.locked),
    volumeUsd24: dollars(market.traded),
    pools: market.pools,
    copies: detail.copies,
    sameSymbol: detail.sameSymbol.map((same) => ({
      token_address: checksumAddress(same.token.address),
      symbol: same.token.symbol ?? "",
      name: same.token.name ?? "",
      tvlUsd: dollars(same.locked),
      isKnown: same.isKnown,
      first_seen_at: instantOf(same.token.firstSeen),
    })),
    block_number: detail.block,
  };
}

import { checksumAddress } from "../../chain/encoding/checksum.ts";
import type { ExchangeToken } from "../../query/exchange/tokenCatalogue.ts";
import type { PricedToken } from "../../query/pools/exchangeTokens.ts";
import { Turn } from "../../std/async.ts";
import type { Shape } from "../openapi/values.ts";
import type { ExchangeTokenSchema, TokenPriceSchema } from "./exchangeSchema.ts";
import { dollars, priceOfToken } from "./presentPool.ts";

/** The value clients expect for every token. */
const ZERO_TIME = "0001-01-01T00:00:00Z";

export function presentExchangeToken(token: ExchangeToken, chainId: number): Shape<typeof ExchangeTokenSchema> {
  return {
    id: token.id,
    token_address: checksumAddress(token.address),
    chain_id: chainId,
    symbol: token.symbol ?? "",
    name: token.name ?? "",
    decimals: token.decimals,
    last_updated: timeOf(token.lastUpdated),
    created_at: ZERO_TIME,
    first_seen_at: timeOf(token.firstSeen),
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

/** The last second of a four-digit year. */
const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59) / 1000;

/** A chain may claim any time. */
function timeOf(seconds: number | undefined): string {
  if (seconds === undefined) return ZERO_TIME;
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

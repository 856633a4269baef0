import { checksumAddress } from "../../chain/encoding/checksum.ts";
import { fromHex, toHex } from "../../chain/encoding/hex.ts";
import { formatAmount, formatFraction } from "../../exchange/decimal.ts";
import type { CreatedPair } from "../../query/pools/adapterDetail.ts";
import { MAX_PLACES } from "../../query/pools/adapterPools.ts";
import { poolIdOf } from "../../query/pools/poolId.ts";
import type { PoolToken } from "../../query/pools/poolRecords.ts";
import type { ReadyBlock } from "../../query/pools/readyBlock.ts";
import type { SpanEvent } from "../../query/pools/spanEvents.ts";
import type { Shape } from "../openapi/values.ts";
import type {
  AdapterAssetSchema,
  AdapterBlockSchema,
  AdapterChangeSchema,
  AdapterPairSchema,
  AdapterSwapSchema,
} from "./adapterSchema.ts";

/** GeckoTerminal's asset has decimals, and each of its events has reserves. */
export type AdapterFormat = "dexscreener" | "geckoterminal";

export function presentBlock({ number, timestamp }: ReadyBlock): Shape<typeof AdapterBlockSchema> {
  return { blockNumber: number, blockTimestamp: timestamp };
}

export function presentAsset(
  { listed, name, symbol, decimals, supply }: PoolToken,
  format: AdapterFormat,
): Shape<typeof AdapterAssetSchema> {
  return {
    id: checksumAddress(listed.address),
    name: name || "UNKNOWN",
    symbol: symbol || "UNKNOWN",
    ...(format === "geckoterminal" && { decimals }),
    ...(supply !== null && { totalSupply: formatAmount(supply, decimals) }),
  };
}

export function presentPair({ pool, fee, ...created }: CreatedPair): Shape<typeof AdapterPairSchema> {
  return {
    id: poolIdOf(pool),
    dexKey: checksumAddress(fromHex(pool.factory)),
    asset0Id: checksumAddress(pool.token0.address),
    asset1Id: checksumAddress(pool.token1.address),
    createdAtBlockNumber: pool.since,
    createdAtBlockTimestamp: created.timestamp,
    createdAtTxnId: toHex(created.transactionHash),
    ...(fee !== undefined && { feeBps: fee / 100 }),
  };
}

export function presentEvent(event: SpanEvent): Shape<typeof AdapterSwapSchema> | Shape<typeof AdapterChangeSchema> {
  const { type, price, reserves } = event;
  const [amount0, amount1] = inWhole(event, [event.amount0, event.amount1]);
  const [asset0, asset1] = inWhole(event, reserves ?? [0n, 0n]);
  const held = reserves && { reserves: { asset0, asset1 } };
  const block = presentBlock({ number: event.block, timestamp: event.timestamp });
  if (type !== "swap") return { block, eventType: type, ...presentPlace(event), amount0, amount1, ...held };
  const { numerator, denominator } = price!;
  const isIn = event.amount0 > 0n;
  return {
    block,
    eventType: type,
    ...presentPlace(event),
    ...(isIn ? { asset0In: amount0, asset1Out: amount1 } : { asset1In: amount1, asset0Out: amount0 }),
    priceNative: formatFraction(numerator, denominator, MAX_PLACES),
    ...held,
  };
}

function presentPlace({ pool, transactionHash, transactionIndex, logIndex, maker }: SpanEvent) {
  return {
    txnId: toHex(transactionHash),
    txnIndex: transactionIndex,
    eventIndex: logIndex,
    maker: checksumAddress(maker),
    pairId: poolIdOf(pool),
  };
}

function inWhole({ decimals }: SpanEvent, amounts: readonly [bigint, bigint]): [string, string] {
  const size = (amount: bigint) => (amount < 0n ? -amount : amount);
  return [formatAmount(size(amounts[0]), decimals[0]), formatAmount(size(amounts[1]), decimals[1])];
}

import { GraphQLID, GraphQLString } from "graphql";
import type { PoolColumn, TokenColumn } from "../../query/subgraph/collections.ts";
import { factoryCollection, poolCollection, tokenCollection } from "../../query/subgraph/collections.ts";
import type { SubgraphFactory, SubgraphPool, SubgraphToken } from "../../query/subgraph/subgraphMarket.ts";
import { bundleFields } from "./bundle.ts";
import type { ColumnFields } from "./conditions.ts";
import type { Fields } from "./fields.ts";
import { field, objectType } from "./fields.ts";
import { amount0, amount1, coins, dollars, price0, price1, rootPrice, wholeTokens } from "./figures.ts";
import type { RootField } from "./lists.ts";
import { collectionFields } from "./lists.ts";
import { createdFields } from "./poolFields.ts";
import { preparePools, prepareTokens } from "./prepare.ts";
import { BigDecimalType, BigIntType } from "./scalars.ts";
import { tokenFields } from "./tokenFields.ts";

export const V3Token = objectType<SubgraphToken>("Token", () => ({
  ...tokenFields(),
  poolCount: field(BigIntType, "how many pools have it", ({ pools }) => pools),
  volume: field(BigDecimalType, "what swaps moved of it, in whole tokens", ({ token, volume }, context) =>
    wholeTokens(context, token, volume),
  ),
  volumeUSD: field(BigDecimalType, "the sum of `volumeUSD` of its pools", ({ traded }) => dollars(traded)),
  feesUSD: field(BigDecimalType, "the sum of `feesUSD` of its pools", ({ fees }) => dollars(fees)),
  totalValueLocked: field(BigDecimalType, "what its pools hold of it, in whole tokens", ({ token, held }, context) =>
    wholeTokens(context, token, held),
  ),
  totalValueLockedUSD: field(BigDecimalType, "the same at its price; 0 without one", ({ held, price }) =>
    dollars(held * (price ?? 0n)),
  ),
}));

export const V3Pool = objectType<SubgraphPool>(
  "Pool",
  (): Fields<SubgraphPool> => ({
    id: field(GraphQLID, "its address", ({ pool }) => pool.hex),
    token0: field(V3Token, "token0", ({ pool }, { state }) => state.market.tokens.get(pool.token0.hex)),
    token1: field(V3Token, "token1", ({ pool }, { state }) => state.market.tokens.get(pool.token1.hex)),
    feeTier: field(BigIntType, "its fee, in hundredths of a basis point", ({ pool }) => pool.fee),
    liquidity: field(BigIntType, "its liquidity in range", ({ state }) => state.liquidity),
    sqrtPrice: field(
      BigIntType,
      "the root of its price as Q64.96; 0 before it is initialized",
      ({ state }) => state.sqrtPrice,
    ),
    tick: { type: BigIntType, description: "its tick; null before it is initialized", resolve: tickOf },
    token0Price: field(BigDecimalType, "whole token0 for a whole token1; 0 before it is initialized", (pool, context) =>
      price0(context, pool, rootPrice(pool.state)),
    ),
    token1Price: field(BigDecimalType, "whole token1 for a whole token0", (pool, context) =>
      price1(context, pool, rootPrice(pool.state)),
    ),
    volumeToken0: field(BigDecimalType, "what swaps moved of token0, in whole tokens", (pool, context) =>
      amount0(context, pool, pool.state.volume0),
    ),
    volumeToken1: field(BigDecimalType, "what swaps moved of token1", (pool, context) =>
      amount1(context, pool, pool.state.volume1),
    ),
    volumeUSD: field(BigDecimalType, "the value of what swaps moved", ({ traded }) => dollars(traded)),
    feesUSD: field(BigDecimalType, "`feeTier` of `volumeUSD`", ({ fees }) => dollars(fees)),
    totalValueLockedToken0: field(
      BigDecimalType,
      "what it holds of token0 by its events, in whole tokens",
      (pool, context) => amount0(context, pool, pool.held0),
    ),
    totalValueLockedToken1: field(BigDecimalType, "what it holds of token1", (pool, context) =>
      amount1(context, pool, pool.held1),
    ),
    totalValueLockedUSD: field(BigDecimalType, "the value of what it holds", ({ locked }) => dollars(locked)),
    totalValueLockedETH: field(BigDecimalType, "the same in the network's coin", ({ locked }, context) =>
      coins(context, locked),
    ),
    ...createdFields(),
  }),
);

function tickOf({ state }: SubgraphPool): number | null {
  return state.sqrtPrice === 0n ? null : state.tick;
}

export const V3Factory = objectType<SubgraphFactory>(
  "Factory",
  (): Fields<SubgraphFactory> => ({
    id: field(GraphQLID, "its address", ({ hex }) => hex),
    poolCount: field(BigIntType, "how many pools it has", ({ pools }) => pools),
    txCount: field(BigIntType, "the sum of `txCount` of its pools", ({ transactions }) => transactions),
    totalVolumeUSD: field(BigDecimalType, "the sum of `volumeUSD` of its pools", ({ traded }) => dollars(traded)),
    totalVolumeETH: field(BigDecimalType, "the same in the network's coin", ({ traded }, context) =>
      coins(context, traded),
    ),
    totalFeesUSD: field(BigDecimalType, "the sum of `feesUSD` of its pools", ({ fees }) => dollars(fees)),
    totalFeesETH: field(BigDecimalType, "the same in the network's coin", ({ fees }, context) => coins(context, fees)),
    totalValueLockedUSD: field(BigDecimalType, "the sum of `totalValueLockedUSD` of its pools", ({ locked }) =>
      dollars(locked),
    ),
    totalValueLockedETH: field(BigDecimalType, "the same in the network's coin", ({ locked }, context) =>
      coins(context, locked),
    ),
  }),
);

const POOL_COLUMNS: ColumnFields<PoolColumn> = {
  id: { type: GraphQLID, column: "id" },
  token0: { type: GraphQLString, column: "token0" },
  token1: { type: GraphQLString, column: "token1" },
  feeTier: { type: BigIntType, column: "feeTier" },
  liquidity: { type: BigIntType, column: "liquidity" },
  sqrtPrice: { type: BigIntType, column: "sqrtPrice" },
  txCount: { type: BigIntType, column: "txCount" },
  createdAtTimestamp: { type: BigIntType, column: "created", isTime: true },
  createdAtBlockNumber: { type: BigIntType, column: "created" },
  volumeUSD: { type: BigDecimalType, column: "traded" },
  feesUSD: { type: BigDecimalType, column: "fees" },
  totalValueLockedUSD: { type: BigDecimalType, column: "locked" },
  totalValueLockedETH: { type: BigDecimalType, column: "lockedInCoins" },
};

const TOKEN_COLUMNS: ColumnFields<TokenColumn> = {
  id: { type: GraphQLID, column: "id" },
  txCount: { type: BigIntType, column: "txCount" },
  poolCount: { type: BigIntType, column: "poolCount" },
  volumeUSD: { type: BigDecimalType, column: "traded" },
  feesUSD: { type: BigDecimalType, column: "fees" },
  totalValueLockedUSD: { type: BigDecimalType, column: "locked" },
};

const FACTORY_COLUMNS: ColumnFields<"id"> = { id: { type: GraphQLID, column: "id" } };

export const v3Entities = (): Record<string, RootField> => ({
  ...collectionFields(
    ["factory", "factories"],
    { type: V3Factory, fields: FACTORY_COLUMNS, collectionOf: ({ state }) => factoryCollection(state.market) },
    "a factory of pools",
  ),
  ...collectionFields(
    ["pool", "pools"],
    {
      type: V3Pool,
      prepare: preparePools,
      fields: POOL_COLUMNS,
      collectionOf: ({ state }) => poolCollection(state.market),
    },
    "a pool",
  ),
  ...collectionFields(
    ["token", "tokens"],
    {
      type: V3Token,
      prepare: prepareTokens,
      fields: TOKEN_COLUMNS,
      collectionOf: ({ state }) => tokenCollection(state.market),
    },
    "a token of a pool",
  ),
  ...bundleFields("ethPriceUSD"),
});

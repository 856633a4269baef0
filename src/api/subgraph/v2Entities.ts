import { GraphQLID, GraphQLInt, GraphQLString } from "graphql";
import { formatAmount } from "../../exchange/decimal.ts";
import type { PoolColumn, TokenColumn } from "../../query/subgraph/collections.ts";
import { factoryCollection, poolCollection, tokenCollection } from "../../query/subgraph/collections.ts";
import type { SubgraphFactory, SubgraphPool, SubgraphToken } from "../../query/subgraph/subgraphMarket.ts";
import { use } from "./batch.ts";
import { bundleFields } from "./bundle.ts";
import type { ColumnFields } from "./conditions.ts";
import type { Fields } from "./fields.ts";
import { field, objectType } from "./fields.ts";
import { amount0, amount1, coins, dollars, price0, price1, wholeTokens } from "./figures.ts";
import type { RootField } from "./lists.ts";
import { collectionFields } from "./lists.ts";
import { createdFields } from "./poolFields.ts";
import { preparePools, prepareTokens } from "./prepare.ts";
import { BigDecimalType, BigIntType } from "./scalars.ts";
import { tokenFields } from "./tokenFields.ts";

export const SHARE_DECIMALS = 18;

export const V2Token = objectType<SubgraphToken>("Token", () => ({
  ...tokenFields(),
  tradeVolume: field(BigDecimalType, "what swaps moved of it, in whole tokens", ({ token, volume }, context) =>
    wholeTokens(context, token, volume),
  ),
  tradeVolumeUSD: field(BigDecimalType, "the sum of `volumeUSD` of its pairs", ({ traded }) => dollars(traded)),
  totalLiquidity: field(BigDecimalType, "the sum of its reserves, in whole tokens", ({ token, held }, context) =>
    wholeTokens(context, token, held),
  ),
}));

/** Reserves as a price of token0 in token1. */
const reservePrice = ({ state }: SubgraphPool) => ({ numerator: state.reserve1, denominator: state.reserve0 });

export const V2Pair = objectType<SubgraphPool>(
  "Pair",
  (): Fields<SubgraphPool> => ({
    id: field(GraphQLID, "its address", ({ pool }) => pool.hex),
    token0: field(V2Token, "token0", ({ pool }, { state }) => state.market.tokens.get(pool.token0.hex)),
    token1: field(V2Token, "token1", ({ pool }, { state }) => state.market.tokens.get(pool.token1.hex)),
    reserve0: field(BigDecimalType, "its reserve of token0, in whole tokens", (pair, context) =>
      amount0(context, pair, pair.state.reserve0),
    ),
    reserve1: field(BigDecimalType, "its reserve of token1", (pair, context) =>
      amount1(context, pair, pair.state.reserve1),
    ),
    totalSupply: field(BigDecimalType, "the supply of its shares", (pair, { supplies }) =>
      use(supplies.load(pair), (supply) => formatAmount(supply, SHARE_DECIMALS)),
    ),
    token0Price: field(BigDecimalType, "`reserve0` / `reserve1`; 0 where that is 0", (pair, context) =>
      price0(context, pair, reservePrice(pair)),
    ),
    token1Price: field(BigDecimalType, "`reserve1` / `reserve0`; 0 where that is 0", (pair, context) =>
      price1(context, pair, reservePrice(pair)),
    ),
    reserveUSD: field(BigDecimalType, "the value of its reserves", ({ locked }) => dollars(locked)),
    reserveETH: field(BigDecimalType, "the same in the network's coin", ({ locked }, context) =>
      coins(context, locked),
    ),
    trackedReserveETH: field(BigDecimalType, "`reserveETH`", ({ locked }, context) => coins(context, locked)),
    volumeToken0: field(BigDecimalType, "what swaps moved of token0, in whole tokens", (pair, context) =>
      amount0(context, pair, pair.state.volume0),
    ),
    volumeToken1: field(BigDecimalType, "what swaps moved of token1", (pair, context) =>
      amount1(context, pair, pair.state.volume1),
    ),
    volumeUSD: field(BigDecimalType, "the value of what swaps moved", ({ traded }) => dollars(traded)),
    ...createdFields(),
  }),
);

export const V2Factory = objectType<SubgraphFactory>(
  "UniswapFactory",
  (): Fields<SubgraphFactory> => ({
    id: field(GraphQLID, "its address", ({ hex }) => hex),
    pairCount: field(GraphQLInt, "how many pairs it has", ({ pools }) => pools),
    txCount: field(BigIntType, "the sum of `txCount` of its pairs", ({ transactions }) => transactions),
    totalVolumeUSD: field(BigDecimalType, "the sum of `volumeUSD` of its pairs", ({ traded }) => dollars(traded)),
    totalVolumeETH: field(BigDecimalType, "the same in the network's coin", ({ traded }, context) =>
      coins(context, traded),
    ),
    totalLiquidityUSD: field(BigDecimalType, "the sum of `reserveUSD` of its pairs", ({ locked }) => dollars(locked)),
    totalLiquidityETH: field(BigDecimalType, "the same in the network's coin", ({ locked }, context) =>
      coins(context, locked),
    ),
  }),
);

const PAIR_COLUMNS: ColumnFields<PoolColumn> = {
  id: { type: GraphQLID, column: "id" },
  token0: { type: GraphQLString, column: "token0" },
  token1: { type: GraphQLString, column: "token1" },
  txCount: { type: BigIntType, column: "txCount" },
  createdAtTimestamp: { type: BigIntType, column: "created", isTime: true },
  createdAtBlockNumber: { type: BigIntType, column: "created" },
  reserveUSD: { type: BigDecimalType, column: "locked" },
  reserveETH: { type: BigDecimalType, column: "lockedInCoins" },
  trackedReserveETH: { type: BigDecimalType, column: "lockedInCoins" },
  volumeUSD: { type: BigDecimalType, column: "traded" },
};

const TOKEN_COLUMNS: ColumnFields<TokenColumn> = {
  id: { type: GraphQLID, column: "id" },
  txCount: { type: BigIntType, column: "txCount" },
  tradeVolumeUSD: { type: BigDecimalType, column: "traded" },
};

const FACTORY_COLUMNS: ColumnFields<"id"> = { id: { type: GraphQLID, column: "id" } };

export const v2Entities = (): Record<string, RootField> => ({
  ...collectionFields(
    ["uniswapFactory", "uniswapFactories"],
    { type: V2Factory, fields: FACTORY_COLUMNS, collectionOf: ({ state }) => factoryCollection(state.market) },
    "a factory of pairs",
  ),
  ...collectionFields(
    ["pair", "pairs"],
    {
      type: V2Pair,
      prepare: preparePools,
      fields: PAIR_COLUMNS,
      collectionOf: ({ state }) => poolCollection(state.market),
    },
    "a pair",
  ),
  ...collectionFields(
    ["token", "tokens"],
    {
      type: V2Token,
      prepare: prepareTokens,
      fields: TOKEN_COLUMNS,
      collectionOf: ({ state }) => tokenCollection(state.market),
    },
    "a token of a pair",
  ),
  ...bundleFields("ethPrice"),
});

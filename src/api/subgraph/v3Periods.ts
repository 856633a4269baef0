import type { GraphQLObjectType } from "graphql";
import type { PoolPeriod } from "../../query/subgraph/poolPeriods.ts";
import { field, objectType } from "./fields.ts";
import { price0, price1, rootPrice } from "./figures.ts";
import type { RootField } from "./lists.ts";
import { periodBase, periodFields } from "./periodLists.ts";
import { BigDecimalType, BigIntType } from "./scalars.ts";
import { V3Pool } from "./v3Entities.ts";

function periodType(name: string, time: string): GraphQLObjectType {
  return objectType<PoolPeriod>(name, () => ({
    ...periodBase(time, "volume"),
    pool: field(V3Pool, "its pool", ({ pool }) => pool),
    liquidity: field(BigIntType, "its liquidity in range at the end", ({ state }) => state.liquidity),
    sqrtPrice: field(BigIntType, "the root of its price at the end, as Q64.96", ({ state }) => state.sqrtPrice),
    tick: field(BigIntType, "its tick at the end", ({ state }) => state.tick),
    token0Price: field(BigDecimalType, "whole token0 for a whole token1 at the end", ({ pool, state }, context) =>
      price0(context, pool, rootPrice(state)),
    ),
    token1Price: field(BigDecimalType, "whole token1 for a whole token0 at the end", ({ pool, state }, context) =>
      price1(context, pool, rootPrice(state)),
    ),
    txCount: field(BigIntType, "in how many transactions it was used", ({ state, before }) => {
      return state.transactions - before.transactions;
    }),
  }));
}

const V3PoolDay = periodType("PoolDayData", "date");
const V3PoolHour = periodType("PoolHourData", "periodStartUnix");

export const v3Periods = (): Record<string, RootField> => ({
  ...periodFields({ type: V3PoolDay, step: 86_400, pool: "pool", time: "date" }),
  ...periodFields({ type: V3PoolHour, step: 3600, pool: "pool", time: "periodStartUnix" }),
});

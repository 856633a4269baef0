import type { PoolPeriod } from "../../query/subgraph/poolPeriods.ts";
import type { Fields } from "./fields.ts";
import { field, objectType } from "./fields.ts";
import { amount0, amount1 } from "./figures.ts";
import type { RootField } from "./lists.ts";
import { periodBase, periodFields } from "./periodLists.ts";
import { BigDecimalType, BigIntType, BytesType } from "./scalars.ts";
import { V2Pair, V2Token } from "./v2Entities.ts";

const commonFields = (transactions: string): Fields<PoolPeriod> => ({
  reserve0: field(BigDecimalType, "its reserve of token0 at the end, in whole tokens", ({ pool, state }, context) =>
    amount0(context, pool, state.reserve0),
  ),
  reserve1: field(BigDecimalType, "its reserve of token1 at the end", ({ pool, state }, context) =>
    amount1(context, pool, state.reserve1),
  ),
  [transactions]: field(BigIntType, "in how many transactions it was used", ({ state, before }) => {
    return state.transactions - before.transactions;
  }),
});

const V2PairDay = objectType<PoolPeriod>("PairDayData", () => ({
  ...periodBase("date", "dailyVolume"),
  pairAddress: field(BytesType, "the address of its pair", ({ pool }) => pool.pool.hex),
  token0: field(V2Token, "token0", ({ pool: { pool } }, { state }) => state.market.tokens.get(pool.token0.hex)),
  token1: field(V2Token, "token1", ({ pool: { pool } }, { state }) => state.market.tokens.get(pool.token1.hex)),
  ...commonFields("dailyTxns"),
}));

const V2PairHour = objectType<PoolPeriod>("PairHourData", () => ({
  ...periodBase("hourStartUnix", "hourlyVolume"),
  pair: field(V2Pair, "its pair", ({ pool }) => pool),
  ...commonFields("hourlyTxns"),
}));

export const v2Periods = (): Record<string, RootField> => ({
  ...periodFields({ type: V2PairDay, step: 86_400, pool: "pairAddress", time: "date" }),
  ...periodFields({ type: V2PairHour, step: 3600, pool: "pair", time: "hourStartUnix" }),
});

import type { GraphQLObjectType } from "graphql";
import { GraphQLID } from "graphql";
import { toHex } from "../../chain/encoding/hex.ts";
import { uintToBigInt } from "../../chain/encoding/uint.ts";
import { readSwapV3 } from "../../chain/exchange/exchangeFields.ts";
import type { SubgraphEvent } from "../../query/subgraph/subgraphEvents.ts";
import { use } from "./batch.ts";
import { originField, placeFields, sizeFields, valueField } from "./eventFigures.ts";
import { eventFields, transactionFields } from "./eventLists.ts";
import type { Fields } from "./fields.ts";
import { field, objectType } from "./fields.ts";
import { amount0, amount1 } from "./figures.ts";
import type { RootField } from "./lists.ts";
import { BigDecimalType, BigIntType, BytesType } from "./scalars.ts";
import { eventsField, transactionBase } from "./transactionTypes.ts";
import { V3Pool, V3Token } from "./v3Entities.ts";

const commonFields = (): Fields<SubgraphEvent> => ({
  id: field(
    GraphQLID,
    "the hash of its transaction, `-`, and the index of its log",
    ({ log }) => `${toHex(log.transactionHash)}-${log.logIndex}`,
  ),
  transaction: field(V3Transaction, "its transaction", (event) => event),
  pool: field(V3Pool, "its pool", ({ pool }) => pool),
  token0: field(V3Token, "token0", ({ pool: { pool } }, { state }) => state.market.tokens.get(pool.token0.hex)),
  token1: field(V3Token, "token1", ({ pool: { pool } }, { state }) => state.market.tokens.get(pool.token1.hex)),
  ...placeFields(),
});

const rangeFields = (): Fields<SubgraphEvent> => ({
  owner: field(BytesType, "whose liquidity it is", ({ change }) => toHex(change.account!)),
  tickLower: field(BigIntType, "the lower tick of its range", ({ change }) => change.ticks![0]),
  tickUpper: field(BigIntType, "the upper tick", ({ change }) => change.ticks![1]),
  ...sizeFields(),
  ...valueField(),
});

const amountField = (what: string): Fields<SubgraphEvent> => ({
  amount: field(BigIntType, `the liquidity that it ${what}`, ({ change }) => change.liquidity!),
});

const V3Mint: GraphQLObjectType = objectType<SubgraphEvent>("Mint", () => ({
  ...commonFields(),
  ...originField("origin"),
  sender: field(BytesType, "who called the pool", ({ change }) => toHex(change.sender!)),
  ...amountField("added"),
  ...rangeFields(),
}));

const V3Burn: GraphQLObjectType = objectType<SubgraphEvent>("Burn", () => ({
  ...commonFields(),
  ...originField("origin"),
  ...amountField("removed"),
  ...rangeFields(),
}));

const V3Collect: GraphQLObjectType = objectType<SubgraphEvent>("Collect", () => ({
  ...commonFields(),
  ...rangeFields(),
}));

const V3Swap: GraphQLObjectType = objectType<SubgraphEvent>("Swap", () => ({
  ...commonFields(),
  ...originField("origin"),
  sender: field(BytesType, "who called the pool", ({ change }) => toHex(change.sender!)),
  recipient: field(BytesType, "who got the tokens", ({ change }) => toHex(change.account!)),
  amount0: field(
    BigDecimalType,
    "what came of token0 in whole tokens, or less than 0 where it went",
    (event, context) => amount0(context, event.pool, event.change.amount0),
  ),
  amount1: field(BigDecimalType, "the same of token1", (event, context) =>
    amount1(context, event.pool, event.change.amount1),
  ),
  sqrtPriceX96: field(BigIntType, "the root of the price after it, as Q64.96", ({ log }) => readSwapV3(log).sqrtPrice),
  tick: field(BigIntType, "the tick after it", ({ log }) => readSwapV3(log).tick),
  ...valueField(),
}));

const V3Transaction: GraphQLObjectType = objectType<SubgraphEvent>("Transaction", () => ({
  ...transactionBase(),
  gasUsed: field(BigIntType, "the gas that it used", ({ position }, { transactions }) =>
    use(transactions.load(position), ({ mined }) => mined.receipt.gasUsed),
  ),
  gasPrice: field(BigIntType, "what it paid for a unit of gas, in wei", ({ position }, { transactions }) =>
    use(transactions.load(position), ({ mined: { transaction, receipt } }) =>
      uintToBigInt((receipt.effectiveGasPrice ?? transaction.gasPrice)!),
    ),
  ),
  mints: eventsField("mint", V3Mint),
  burns: eventsField("burn", V3Burn),
  swaps: eventsField("swap", V3Swap),
  collects: eventsField("collect", V3Collect),
}));

const POOLS = {
  pool: ({ pool }: SubgraphEvent["pool"]) => pool.hex,
  token0: ({ pool }: SubgraphEvent["pool"]) => pool.token0.hex,
  token1: ({ pool }: SubgraphEvent["pool"]) => pool.token1.hex,
};

export const v3Events = (): Record<string, RootField> => ({
  ...eventFields({ type: V3Swap, kind: "swap", pools: POOLS }),
  ...eventFields({ type: V3Mint, kind: "mint", pools: POOLS }),
  ...eventFields({ type: V3Burn, kind: "burn", pools: POOLS }),
  ...eventFields({ type: V3Collect, kind: "collect", pools: POOLS }),
  ...transactionFields(V3Transaction),
});

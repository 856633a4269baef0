import type { GraphQLObjectType } from "graphql";
import { GraphQLID } from "graphql";
import { toHex } from "../../chain/encoding/hex.ts";
import { readSwapV2 } from "../../chain/exchange/exchangeFields.ts";
import { formatAmount } from "../../exchange/decimal.ts";
import { shareChangeOf } from "../../query/subgraph/shareChanges.ts";
import type { SubgraphEvent } from "../../query/subgraph/subgraphEvents.ts";
import { use } from "./batch.ts";
import type { SubgraphContext } from "./context.ts";
import { originField, placeFields, sizeFields, valueField } from "./eventFigures.ts";
import { eventFields, transactionFields } from "./eventLists.ts";
import type { Fields } from "./fields.ts";
import { field, objectType } from "./fields.ts";
import { amount0, amount1 } from "./figures.ts";
import type { RootField } from "./lists.ts";
import { BigDecimalType, BytesType } from "./scalars.ts";
import { eventsField, transactionBase } from "./transactionTypes.ts";
import { SHARE_DECIMALS, V2Pair } from "./v2Entities.ts";

const commonFields = (): Fields<SubgraphEvent> => ({
  id: field(
    GraphQLID,
    "the hash of its transaction, `-`, and its index among the events of its kind in it",
    ({ log, position }, { transactions }) =>
      use(transactions.load(position), ({ indexes }) => `${toHex(log.transactionHash)}-${indexes.get(position)}`),
  ),
  transaction: field(V2Transaction, "its transaction", (event) => event),
  pair: field(V2Pair, "its pair", ({ pool }) => pool),
  ...placeFields(),
});

function sharesOf(event: SubgraphEvent, { transactions }: SubgraphContext) {
  return use(transactions.load(event.position), (transaction) => shareChangeOf(transaction, event));
}

const liquidityField = (what: string): Fields<SubgraphEvent> => ({
  liquidity: field(BigDecimalType, `the shares that it ${what}`, (event, context) =>
    use(sharesOf(event, context), (shares) => formatAmount(shares?.amount ?? 0n, SHARE_DECIMALS)),
  ),
});

const V2Mint: GraphQLObjectType = objectType<SubgraphEvent>("Mint", () => ({
  ...commonFields(),
  sender: field(BytesType, "who called the pair", ({ change }) => toHex(change.sender!)),
  to: field(BytesType, "who got the shares", (event, context) =>
    use(sharesOf(event, context), (shares) => toHex(shares?.account ?? event.change.sender!)),
  ),
  ...liquidityField("made"),
  ...sizeFields(),
  ...valueField(),
}));

const V2Burn: GraphQLObjectType = objectType<SubgraphEvent>("Burn", () => ({
  ...commonFields(),
  sender: field(BytesType, "who called the pair", ({ change }) => toHex(change.sender!)),
  to: field(BytesType, "who got the tokens", ({ change }) => toHex(change.account!)),
  ...liquidityField("ended"),
  ...sizeFields(),
  ...valueField(),
}));

const amountsOf = ({ log }: SubgraphEvent) => {
  const { input0, input1, amount0: net0, amount1: net1 } = readSwapV2(log);
  return { input0, input1, output0: input0 - net0, output1: input1 - net1 };
};

const V2Swap: GraphQLObjectType = objectType<SubgraphEvent>("Swap", () => ({
  ...commonFields(),
  sender: field(BytesType, "who called the pair", ({ change }) => toHex(change.sender!)),
  ...originField("from"),
  to: field(BytesType, "who got the tokens", ({ change }) => toHex(change.account!)),
  amount0In: field(BigDecimalType, "what came of token0, in whole tokens", (event, context) =>
    amount0(context, event.pool, amountsOf(event).input0),
  ),
  amount1In: field(BigDecimalType, "what came of token1", (event, context) =>
    amount1(context, event.pool, amountsOf(event).input1),
  ),
  amount0Out: field(BigDecimalType, "what went of token0", (event, context) =>
    amount0(context, event.pool, amountsOf(event).output0),
  ),
  amount1Out: field(BigDecimalType, "what went of token1", (event, context) =>
    amount1(context, event.pool, amountsOf(event).output1),
  ),
  ...valueField(),
}));

const V2Transaction: GraphQLObjectType = objectType<SubgraphEvent>("Transaction", () => ({
  ...transactionBase(),
  mints: eventsField("mint", V2Mint),
  burns: eventsField("burn", V2Burn),
  swaps: eventsField("swap", V2Swap),
}));

const POOLS = { pair: ({ pool }: SubgraphEvent["pool"]) => pool.hex };

export const v2Events = (): Record<string, RootField> => ({
  ...eventFields({ type: V2Swap, kind: "swap", pools: POOLS }),
  ...eventFields({ type: V2Mint, kind: "mint", pools: POOLS }),
  ...eventFields({ type: V2Burn, kind: "burn", pools: POOLS }),
  ...transactionFields(V2Transaction),
});

import { toHex } from "../../chain/encoding/hex.ts";
import { eventValue } from "../../query/subgraph/eventValue.ts";
import type { SubgraphEvent } from "../../query/subgraph/subgraphEvents.ts";
import type { SubgraphContext } from "./context.ts";
import type { Fields } from "./fields.ts";
import { field } from "./fields.ts";
import { amount0, amount1, dollars } from "./figures.ts";
import { BigDecimalType, BigIntType, BytesType } from "./scalars.ts";

const size = (amount: bigint): bigint => (amount < 0n ? -amount : amount);

/** What came or went, without a sign. */
export const sizeFields = (): Fields<SubgraphEvent> => ({
  amount0: field(BigDecimalType, "what it moved of token0, in whole tokens", ({ pool, change }, context) =>
    amount0(context, pool, size(change.amount0)),
  ),
  amount1: field(BigDecimalType, "what it moved of token1", ({ pool, change }, context) =>
    amount1(context, pool, size(change.amount1)),
  ),
});

export const valueField = (): Fields<SubgraphEvent> => ({
  amountUSD: field(BigDecimalType, "its value", (event, { state }: SubgraphContext) =>
    dollars(eventValue(state, event)),
  ),
});

/** Where and when every event is. */
export const placeFields = (): Fields<SubgraphEvent> => ({
  timestamp: field(BigIntType, "the time of its block", ({ log }) => log.header.timestamp),
  logIndex: field(BigIntType, "the index of its log in the block", ({ log }) => log.logIndex),
});

export const originField = (name: "from" | "origin"): Fields<SubgraphEvent> => ({
  [name]: field(BytesType, "who sent the transaction", ({ log }) => toHex(log.sender)),
});

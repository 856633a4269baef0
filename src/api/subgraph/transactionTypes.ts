import type { GraphQLObjectType } from "graphql";
import { GraphQLID } from "graphql";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { fromHex, toHex } from "../../chain/encoding/hex.ts";
import type { EventKind, SubgraphEvent } from "../../query/subgraph/subgraphEvents.ts";
import { use } from "./batch.ts";
import type { SubgraphContext } from "./context.ts";
import type { Fields } from "./fields.ts";
import { field } from "./fields.ts";
import { DEFAULT_FIRST } from "./limits.ts";
import { expectPage, fieldsOf, listOf, PAGE_ARGUMENTS } from "./lists.ts";
import { BigIntType } from "./scalars.ts";

export function parseHash(text: string): Bytes | undefined {
  return /^0x[0-9a-f]{64}$/.test(text) ? fromHex(text as `0x${string}`) : undefined;
}

/** A transaction is known by one of its events. */
export const transactionBase = (): Fields<SubgraphEvent> => ({
  id: field(GraphQLID, "its hash", ({ log }) => toHex(log.transactionHash)),
  blockNumber: field(BigIntType, "its block", ({ log }) => log.header.number),
  timestamp: field(BigIntType, "the time of its block", ({ log }) => log.header.timestamp),
});

/** Its events of a kind, in their order. */
export function eventsField(kind: EventKind, type: GraphQLObjectType): Fields<SubgraphEvent>[string] {
  return {
    type: listOf(type),
    description: `its ${kind}s, in their order`,
    args: PAGE_ARGUMENTS,
    resolve: ({ position }, { first, skip }, context: SubgraphContext, info) => {
      const page = { first: first ?? DEFAULT_FIRST, skip: skip ?? 0 };
      expectPage(page);
      return use(context.transactions.load(position), ({ events }) => {
        const own = events.filter(({ change }) => change.type === kind).slice(page.skip, page.skip + page.first);
        const fields = fieldsOf(info);
        context.spend(own.length * fields);
        return context.turns.spread(own, fields);
      });
    },
  };
}

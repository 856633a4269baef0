import type { GraphQLObjectType, GraphQLScalarType } from "graphql";
import { GraphQLInputObjectType, GraphQLString } from "graphql";
import type { Hex } from "../../chain/encoding/hex.ts";
import { blocksOfTime } from "../../query/subgraph/blocksOfTime.ts";
import type { Operator } from "../../query/subgraph/selectItems.ts";
import type { EventKind, EventRequest, SubgraphEvent } from "../../query/subgraph/subgraphEvents.ts";
import { listEvents } from "../../query/subgraph/subgraphEvents.ts";
import type { SubgraphPool } from "../../query/subgraph/subgraphMarket.ts";
import type { SubgraphState } from "../../query/subgraph/subgraphState.ts";
import { findTransaction, listTransactions } from "../../query/subgraph/transactionEvents.ts";
import type { Where } from "./conditions.ts";
import { inputFields, orderByType, valuesOf } from "./conditions.ts";
import type { SubgraphContext } from "./context.ts";
import type { ListArguments, RootField } from "./lists.ts";
import { listField, singleField } from "./lists.ts";
import { prepareEvents } from "./prepare.ts";
import { BigIntType } from "./scalars.ts";
import { parseHash } from "./transactionTypes.ts";

/** Fields of events that name pools, and how to compare a pool with them. */
export type PoolFields = Readonly<Record<string, (pool: SubgraphPool) => string>>;

const TIME_OPERATORS: readonly Operator[] = ["", "gt", "gte", "lt", "lte"];
const NAME_OPERATORS: readonly Operator[] = ["", "in"];

function eventFilter(name: string, pools: readonly string[]): GraphQLInputObjectType {
  const named = Object.fromEntries(pools.map((field): [string, GraphQLScalarType] => [field, GraphQLString]));
  const fields = { ...inputFields(named, NAME_OPERATORS), ...inputFields({ timestamp: BigIntType }, TIME_OPERATORS) };
  return new GraphQLInputObjectType({ name: `${name}_filter`, fields });
}

interface EventList {
  readonly type: GraphQLObjectType;
  readonly kind: EventKind;
  readonly pools: PoolFields;
}

/** The event by its id, and the list by time. */
export function eventFields({ type, kind, pools }: EventList): Record<string, RootField> {
  const types = {
    type,
    prepare: prepareEvents,
    orderBy: orderByType(type.name, ["timestamp"]),
    where: eventFilter(type.name, Object.keys(pools)),
  };
  return {
    [kind]: singleField(type, `a ${kind}`, (context, id) => findEvent(context, kind, id)),
    [`${kind}s`]: listField(types, `${kind}s by time`, async (context, request) => {
      const parsed = await parseRequest(context.state, request, pools);
      return listEvents(context.state, { ...parsed, kinds: [kind] });
    }),
  };
}

/** Transactions with events of pools. */
export function transactionFields(type: GraphQLObjectType): Record<string, RootField> {
  const types = {
    type,
    prepare: prepareEvents,
    orderBy: orderByType(type.name, ["timestamp", "blockNumber"]),
    where: eventFilter(type.name, []),
  };
  return {
    transaction: singleField(type, "a transaction with events of pools", async ({ state }, id) => {
      const hash = parseHash(id);
      return hash && (await findTransaction(state, hash))?.events[0];
    }),
    transactions: listField(types, "transactions by time", async ({ state }, request) =>
      listTransactions(state, await parseRequest(state, request, {})),
    ),
  };
}

async function findEvent({ state }: SubgraphContext, kind: EventKind, id: string): Promise<SubgraphEvent | undefined> {
  const [, text = "", index] = /^(0x[0-9a-f]{64})-(\d{1,9})$/.exec(id) ?? [];
  const hash = parseHash(text);
  const found = hash && (await findTransaction(state, hash));
  return found?.events.find(({ change, position, log }) => {
    const own = state.kind === "v2" ? found.indexes.get(position) : log.logIndex;
    return change.type === kind && own === Number(index);
  });
}

async function parseRequest(
  state: SubgraphState,
  { where, orderDirection, first, skip }: ListArguments,
  fields: PoolFields,
): Promise<Omit<EventRequest, "kinds">> {
  const isTime = ([key]: readonly [string, unknown]) => key.startsWith("timestamp");
  const conditions = Object.entries(where ?? {}).map(([key, value]) => {
    return [key, valuesOf(key, value, isTime([key, value]) ? BigIntType : GraphQLString)] as const;
  });
  const times = conditions.filter(isTime);
  const tests = conditions.filter((one) => !isTime(one));
  const spans = await blocksOfTime(
    state,
    times.map(([, [time]]) => Number(time)),
  );
  let [from, to] = [state.range.first, state.tip.number];
  for (const [at, [key]] of times.entries()) {
    const { from: start, after } = spans[at]!;
    const operator = key.slice("timestamp_".length);
    if (operator === "" || operator === "gte") from = Math.max(from, start);
    if (operator === "gt") from = Math.max(from, after);
    if (operator === "" || operator === "lte") to = Math.min(to, after - 1);
    if (operator === "lt") to = Math.min(to, start - 1);
  }
  const pools = tests.length === 0 ? undefined : poolsOf(state, tests, fields);
  return { pools, from, to, isDescending: orderDirection === "desc", first, skip };
}

function poolsOf({ market }: SubgraphState, tests: readonly (readonly [string, Where[string]])[], fields: PoolFields) {
  const wanted = tests.map(([key, values]) => {
    const name = key.replace(/_in$/, "");
    return { name, read: fields[name]!, values: new Set(values as readonly string[]) };
  });
  const named = wanted.find(({ name }) => name === "pair" || name === "pool");
  const some =
    named === undefined ? market.pools.values() : [...named.values].flatMap((id) => market.pools.get(id as Hex) ?? []);
  return [...some].filter((pool) => wanted.every(({ read, values }) => values.has(read(pool))));
}

import type { GraphQLObjectType } from "graphql";
import { GraphQLError, GraphQLID, GraphQLInputObjectType, GraphQLInt, GraphQLString } from "graphql";
import type { Hex } from "../../chain/encoding/hex.ts";
import type { PeriodRequest, PeriodStep, PoolPeriod } from "../../query/subgraph/poolPeriods.ts";
import { listPeriods } from "../../query/subgraph/poolPeriods.ts";
import type { Operator } from "../../query/subgraph/selectItems.ts";
import type { Where } from "./conditions.ts";
import { inputFields, orderByType, valuesOf } from "./conditions.ts";
import type { Fields } from "./fields.ts";
import { field } from "./fields.ts";
import { amount0, amount1 } from "./figures.ts";
import type { Prepare, RootField } from "./lists.ts";
import { listField, singleField } from "./lists.ts";
import { preparePools } from "./prepare.ts";
import { BigDecimalType } from "./scalars.ts";

interface PeriodTypes {
  readonly type: GraphQLObjectType;
  readonly step: PeriodStep;
  /** Fields that name the pool, and the start. */
  readonly pool: string;
  readonly time: string;
}

const TIME_OPERATORS: readonly Operator[] = ["", "gt", "gte", "lt", "lte"];

/** The period by its id, and the list of those of a pool. */
export function periodFields({ type, step, pool, time }: PeriodTypes): Record<string, RootField> {
  const single = `${type.name[0]!.toLowerCase()}${type.name.slice(1)}`;
  const prepare: Prepare<PoolPeriod> = (context, periods, selected) =>
    preparePools(context, [...new Set(periods.map((period) => period.pool))], selected);
  const types = {
    type,
    prepare,
    orderBy: orderByType(type.name, [time]),
    where: new GraphQLInputObjectType({
      name: `${type.name}_filter`,
      fields: {
        ...inputFields({ [pool]: GraphQLString }, [""]),
        ...inputFields({ [time]: GraphQLInt }, TIME_OPERATORS),
      },
    }),
  };
  return {
    [single]: singleField(type, `a pool in a ${NAMES[step]}`, async ({ state }, id) => {
      const [, address = "", number] = /^(0x[0-9a-f]{40})-(\d{1,9})$/.exec(id) ?? [];
      const found = state.market.pools.get(address as Hex);
      const [from, to] = [Number(number) * step, Number(number) * step];
      if (found === undefined) return undefined;
      const request = { pool: found, step, from, to, isDescending: false, first: 1, skip: 0 };
      return (await listPeriods(state, request))[0];
    }),
    [`${single}s`]: listField(types, `a pool in its ${NAMES[step]}s`, async ({ state }, request) => {
      const { where, orderDirection, first, skip } = request;
      const address = where?.[pool];
      if (typeof address !== "string") throw new GraphQLError(`\`where\` must name a pool as \`${pool}\``);
      const found = state.market.pools.get(address.toLowerCase() as Hex);
      if (found === undefined) return [];
      const bounds = boundsOf(where ?? {}, time, step);
      return listPeriods(state, { pool: found, step, ...bounds, isDescending: orderDirection === "desc", first, skip });
    }),
  };
}

const NAMES = { 3600: "hour", 86400: "day" } as const;

/** Starts are multiples of the step. */
function boundsOf(where: Where, time: string, step: PeriodStep): Pick<PeriodRequest, "from" | "to"> {
  let [from, to] = [0, Number.MAX_SAFE_INTEGER];
  for (const [key, value] of Object.entries(where)) {
    if (!key.startsWith(time)) continue;
    const bound = Number(valuesOf(key, value, GraphQLInt)[0]);
    const operator = key.slice(time.length + 1);
    if (operator === "" || operator === "gte") from = Math.max(from, bound);
    if (operator === "gt") from = Math.max(from, bound + 1);
    if (operator === "" || operator === "lte") to = Math.min(to, bound);
    if (operator === "lt") to = Math.min(to, bound - 1);
  }
  return { from: Math.ceil(from / step) * step, to };
}

/** What all periods have; `volume` begins the names of volumes. */
export const periodBase = (time: string, volume: string): Fields<PoolPeriod> => ({
  id: field(
    GraphQLID,
    "the address of the pool, `-`, and the number of the period since 1970",
    ({ pool, start, step }) => {
      return `${pool.pool.hex}-${start / step}`;
    },
  ),
  [time]: field(GraphQLInt, "when it begins, in seconds since 1970", ({ start }) => start),
  [`${volume}Token0`]: field(BigDecimalType, "what swaps moved of token0, in whole tokens", (period, context) =>
    amount0(context, period.pool, period.state.volume0 - period.before.volume0),
  ),
  [`${volume}Token1`]: field(BigDecimalType, "what swaps moved of token1", (period, context) =>
    amount1(context, period.pool, period.state.volume1 - period.before.volume1),
  ),
});

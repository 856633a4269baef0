import type { GraphQLInputFieldConfigMap, GraphQLScalarType } from "graphql";
import { GraphQLEnumType, GraphQLError, GraphQLInputObjectType, GraphQLList, GraphQLNonNull } from "graphql";
import { blocksOfTime } from "../../query/subgraph/blocksOfTime.ts";
import type { Comparable, Condition, Operator } from "../../query/subgraph/selectItems.ts";
import { OPERATORS } from "../../query/subgraph/selectItems.ts";
import type { SubgraphState } from "../../query/subgraph/subgraphState.ts";
import { MAX_CONDITIONS } from "./limits.ts";
import { BigDecimalType, BigIntType } from "./scalars.ts";

/** A field by which entities are ordered and filtered. */
export interface ColumnField<C extends string> {
  readonly type: GraphQLScalarType;
  readonly column: C;
  /** Its values are times, those of the column blocks. */
  readonly isTime?: true;
}

export type ColumnFields<C extends string> = Readonly<Record<string, ColumnField<C>>>;

export type Where = Readonly<Record<string, unknown>>;

export function orderByType(name: string, fields: readonly string[]): GraphQLEnumType {
  return new GraphQLEnumType({ name: `${name}_orderBy`, values: Object.fromEntries(fields.map((each) => [each, {}])) });
}

const nameOf = (field: string, operator: Operator) => (operator === "" ? field : `${field}_${operator}`);

export function inputFields(
  types: Readonly<Record<string, GraphQLScalarType>>,
  operators: readonly Operator[] = OPERATORS,
): GraphQLInputFieldConfigMap {
  return Object.fromEntries(
    Object.entries(types).flatMap(([field, type]) =>
      operators.map((operator) => {
        const isList = operator === "in" || operator === "not_in";
        return [nameOf(field, operator), { type: isList ? new GraphQLList(new GraphQLNonNull(type)) : type }];
      }),
    ),
  );
}

export function filterType<C extends string>(name: string, fields: ColumnFields<C>): GraphQLInputObjectType {
  const types = Object.fromEntries(Object.entries(fields).map(([field, { type }]) => [field, type]));
  const filter: GraphQLInputObjectType = new GraphQLInputObjectType({
    name: `${name}_filter`,
    fields: () => ({
      ...inputFields(types),
      and: { type: new GraphQLList(filter) },
      or: { type: new GraphQLList(filter) },
    }),
  });
  return filter;
}

/** Reads the blocks of times. */
export async function parseWhere<C extends string>(
  state: SubgraphState,
  where: Where,
  fields: ColumnFields<C>,
): Promise<Condition<C>> {
  const known = new Map(
    Object.keys(fields).flatMap((field) =>
      OPERATORS.map((operator) => [nameOf(field, operator), { ...fields[field]!, operator }] as const),
    ),
  );
  let count = 0;
  const parse = async (part: Where): Promise<Condition<C>> => {
    const all = Object.entries(part).map(async ([key, value]): Promise<Condition<C>> => {
      if (++count > MAX_CONDITIONS) throw new GraphQLError(`\`where\` has more than ${MAX_CONDITIONS} conditions`);
      if (key === "and") return { all: await Promise.all(partsOf(key, value).map(parse)) };
      if (key === "or") return { any: await Promise.all(partsOf(key, value).map(parse)) };
      const { column, operator, isTime, type } = known.get(key)!;
      const values = valuesOf(key, value, type);
      return isTime ? timeCondition(state, column, operator, values) : { column, operator, values };
    });
    return { all: await Promise.all(all) };
  };
  return parse(where);
}

function partsOf(key: string, value: unknown): readonly Where[] {
  const parts = Array.isArray(value) ? value : [value];
  if (parts.some((part) => typeof part !== "object" || part === null)) throw isNull(key);
  return parts as readonly Where[];
}

const isNull = (key: string) => new GraphQLError(`\`${key}\` in \`where\` must not be null`);

/** Addresses and hashes are compared in lower case. A variable may be declared as another type. */
export function valuesOf(key: string, value: unknown, type: GraphQLScalarType): Comparable[] {
  const values: unknown[] = Array.isArray(value) ? value : [value];
  return values.map((each) => {
    if (each === null || each === undefined) throw isNull(key);
    if (typeof each === "bigint") return each;
    return type === BigIntType || type === BigDecimalType
      ? (type.parseValue(each) as bigint)
      : String(each).toLowerCase();
  });
}

async function timeCondition<C extends string>(
  state: SubgraphState,
  column: C,
  operator: Operator,
  values: readonly Comparable[],
): Promise<Condition<C>> {
  const spans = await blocksOfTime(state, values.map(Number));
  const [span] = spans;
  if (span === undefined || operator === "in" || operator === "not_in" || operator === "not" || operator === "") {
    const inside = spans.map(
      ({ from, after }): Condition<C> => ({
        all: [
          { column, operator: "gte", values: [BigInt(from)] },
          { column, operator: "lt", values: [BigInt(after)] },
        ],
      }),
    );
    if (operator === "" || operator === "in") return { any: inside };
    throw new GraphQLError("times are compared with `_gt`, `_gte`, `_lt`, `_lte`, `_in`, or as they are");
  }
  if (operator === "gt") return { column, operator: "gte", values: [BigInt(span.after)] };
  if (operator === "gte") return { column, operator, values: [BigInt(span.from)] };
  return { column, operator: "lt", values: [BigInt(operator === "lt" ? span.from : span.after)] };
}

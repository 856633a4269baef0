import { filterInTurns, mapInTurns, sortInTurns } from "../../std/async.ts";

export const OPERATORS = ["", "not", "gt", "gte", "lt", "lte", "in", "not_in"] as const;

export type Operator = (typeof OPERATORS)[number];

export type Comparable = bigint | string;

/** A condition on a column, or several of which all or any must hold. */
export type Condition<C extends string> =
  | { readonly column: C; readonly operator: Operator; readonly values: readonly Comparable[] }
  | { readonly all: readonly Condition<C>[] }
  | { readonly any: readonly Condition<C>[] };

export interface Selection<C extends string> {
  readonly where: Condition<C>;
  readonly orderBy: C;
  readonly isDescending: boolean;
  readonly first: number;
  readonly skip: number;
}

/** Items by their id, and what can be compared of them. */
export interface Collection<T, C extends string> {
  readonly items: ReadonlyMap<string, T>;
  readonly columns: Readonly<Record<C, (item: T) => Comparable>>;
}

type Test<T> = (item: T) => boolean;

/** Equal ones are in order of their ids. */
export async function selectItems<T, C extends string>(
  collection: Collection<T, C | "id">,
  { where, orderBy, isDescending, first, skip }: Selection<C | "id">,
): Promise<readonly T[]> {
  const test = testOf(where, collection.columns);
  const slice = (sorted: readonly T[]) => {
    if (!isDescending) return sorted.slice(skip, skip + first);
    return sorted.slice(Math.max(sorted.length - skip - first, 0), Math.max(sorted.length - skip, 0)).reverse();
  };
  const named = idsIn(where);
  if (named !== undefined) {
    const found = [...new Set(named)].flatMap((id) => collection.items.get(id) ?? []).filter(test);
    return slice(await sortItems(collection, found, orderBy));
  }
  const sorted = await sortedBy(collection, orderBy);
  const isAll = "all" in where && where.all.length === 0;
  return slice(isAll ? sorted : await filterInTurns(sorted, test));
}

/** Ids that a condition names, of which no other can hold. */
function idsIn<C extends string>(where: Condition<C | "id">): readonly string[] | undefined {
  if ("all" in where) return where.all.map(idsIn).find((ids) => ids !== undefined);
  if ("any" in where || where.column !== "id") return undefined;
  return where.operator === "" || where.operator === "in" ? where.values.map(String) : undefined;
}

const orders = new WeakMap<ReadonlyMap<string, unknown>, Map<string, Promise<readonly unknown[]>>>();

/** Each order of a collection is made once, ascending. */
function sortedBy<T, C extends string>(collection: Collection<T, C | "id">, column: C | "id"): Promise<readonly T[]> {
  const known = orders.get(collection.items) ?? new Map<string, Promise<readonly unknown[]>>();
  orders.set(collection.items, known);
  const sorted = known.get(column) ?? sortItems(collection, [...collection.items.values()], column);
  known.set(column, sorted);
  return sorted as Promise<readonly T[]>;
}

async function sortItems<T, C extends string>(
  { columns }: Collection<T, C | "id">,
  items: readonly T[],
  column: C | "id",
): Promise<readonly T[]> {
  const keyed = await mapInTurns(items, (item) => ({ item, key: columns[column](item), id: columns.id(item) }));
  const sorted = await sortInTurns(keyed, (one, other) => {
    return compare(one.key, other.key) || compare(one.id, other.id);
  });
  return sorted.map(({ item }) => item);
}

const compare = (one: Comparable, other: Comparable): number => (one === other ? 0 : one < other ? -1 : 1);

function testOf<T, C extends string>(where: Condition<C>, columns: Collection<T, C>["columns"]): Test<T> {
  if ("all" in where) {
    const tests = where.all.map((each) => testOf(each, columns));
    return (item) => tests.every((holds) => holds(item));
  }
  if ("any" in where) {
    const tests = where.any.map((each) => testOf(each, columns));
    return (item) => tests.some((holds) => holds(item));
  }
  const { column, operator, values } = where;
  const read = columns[column];
  const holds = comparison(operator, values);
  return (item) => holds(read(item));
}

export function comparison(operator: Operator, values: readonly Comparable[]): (value: Comparable) => boolean {
  const wanted = new Set(values);
  const [bound = ""] = values;
  switch (operator) {
    case "":
    case "in":
      return (value) => wanted.has(value);
    case "not":
    case "not_in":
      return (value) => !wanted.has(value);
    case "gt":
      return (value) => value > bound;
    case "gte":
      return (value) => value >= bound;
    case "lt":
      return (value) => value < bound;
    case "lte":
      return (value) => value <= bound;
  }
}

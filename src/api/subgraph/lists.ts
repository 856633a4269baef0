import type {
  GraphQLEnumType,
  GraphQLFieldConfig,
  GraphQLFieldConfigArgumentMap,
  GraphQLInputObjectType,
  GraphQLObjectType,
  GraphQLResolveInfo,
  SelectionSetNode,
} from "graphql";
import { GraphQLError, GraphQLID, GraphQLInt, GraphQLList, GraphQLNonNull, Kind } from "graphql";
import { toHex } from "../../chain/encoding/hex.ts";
import type { Collection } from "../../query/subgraph/selectItems.ts";
import { selectItems } from "../../query/subgraph/selectItems.ts";
import type { SubgraphState } from "../../query/subgraph/subgraphState.ts";
import { measureFor } from "./checkDocument.ts";
import type { ColumnFields, Where } from "./conditions.ts";
import { filterType, orderByType, parseWhere } from "./conditions.ts";
import type { SubgraphContext } from "./context.ts";
import { DEFAULT_FIRST, MAX_FIRST, MAX_SKIP } from "./limits.ts";
import { BlockHeightType, ErrorPolicyType, OrderDirectionType } from "./sharedTypes.ts";

export type RootField = GraphQLFieldConfig<undefined, SubgraphContext>;

interface BlockHeight {
  readonly number?: number | null;
  readonly number_gte?: number | null;
  readonly hash?: string | null;
}

export interface ListArguments {
  readonly first: number;
  readonly skip: number;
  readonly orderBy?: string | null;
  readonly orderDirection?: "asc" | "desc" | null;
  readonly where?: Where | null;
  readonly block?: BlockHeight | null;
}

const STATE_ARGUMENTS: GraphQLFieldConfigArgumentMap = {
  block: { type: BlockHeightType },
  subgraphError: { type: new GraphQLNonNull(ErrorPolicyType), defaultValue: "deny" },
};

/** Data is that of the newest block alone. */
export function expectTip({ tip }: SubgraphState, block: BlockHeight | null | undefined): void {
  const { number, number_gte: least, hash } = block ?? {};
  const isTip =
    (number ?? tip.number) === tip.number &&
    (least ?? 0) <= tip.number &&
    (hash?.toLowerCase() ?? toHex(tip.hash)) === toHex(tip.hash);
  if (!isTip) throw new GraphQLError(`the answer can only be that of the newest indexed block, ${tip.number}`);
}

export function expectPage({ first, skip }: Pick<ListArguments, "first" | "skip">): void {
  if (first < 0 || first > MAX_FIRST) throw new GraphQLError(`\`first\` must be between 0 and ${MAX_FIRST}`);
  if (skip < 0 || skip > MAX_SKIP) throw new GraphQLError(`\`skip\` must be between 0 and ${MAX_SKIP}`);
}

export const PAGE_ARGUMENTS: GraphQLFieldConfigArgumentMap = {
  first: { type: GraphQLInt, defaultValue: DEFAULT_FIRST },
  skip: { type: GraphQLInt, defaultValue: 0 },
};

/** Reads what the selected fields of entities need, so that none of them waits for itself. */
export type Prepare<T> = (
  context: SubgraphContext,
  items: readonly T[],
  selected: ReadonlySet<string>,
) => Promise<void>;

interface ListTypes<T> {
  readonly prepare?: Prepare<T> | undefined;
  readonly type: GraphQLObjectType;
  readonly orderBy: GraphQLEnumType;
  readonly where: GraphQLInputObjectType;
}

/** Charges a list before it is read. */
export function listField<T>(
  { type, orderBy, where, prepare }: ListTypes<T>,
  description: string,
  read: (context: SubgraphContext, request: ListArguments) => Promise<readonly T[]>,
): RootField {
  return {
    type: listOf(type),
    description,
    args: {
      ...PAGE_ARGUMENTS,
      orderBy: { type: orderBy },
      orderDirection: { type: OrderDirectionType },
      where: { type: where },
      ...STATE_ARGUMENTS,
    },
    resolve: async (_, given, context, info) => {
      const request = { ...given, first: given.first ?? DEFAULT_FIRST, skip: given.skip ?? 0 } as ListArguments;
      expectPage(request);
      expectTip(context.state, request.block);
      const fields = fieldsOf(info);
      context.spend(request.first * fields);
      const items = await read(context, request);
      await prepare?.(context, items, namesIn(info));
      return context.turns.spread(items, fields);
    },
  };
}

export const listOf = (type: GraphQLObjectType) => new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(type)));

/** Fields that are selected of each entity of a list. */
export function fieldsOf({ fieldNodes, fragments }: GraphQLResolveInfo): number {
  const measure = measureFor(new Map(Object.entries(fragments)));
  return fieldNodes.reduce((sum, { selectionSet: set }) => sum + (set ? measure(set).fields : 0), 1);
}

/** Names of all fields that are selected of entities, also inside each other. */
function namesIn({ fieldNodes, fragments }: GraphQLResolveInfo): Set<string> {
  const [names, seen] = [new Set<string>(), new Set<string>()];
  const collect = (set: SelectionSetNode | undefined): void => {
    for (const selection of set?.selections ?? []) {
      if (selection.kind === Kind.FIELD) names.add(selection.name.value);
      if (selection.kind !== Kind.FRAGMENT_SPREAD) collect(selection.selectionSet);
      else if (!seen.has(selection.name.value)) {
        seen.add(selection.name.value);
        collect(fragments[selection.name.value]?.selectionSet);
      }
    }
  };
  for (const { selectionSet } of fieldNodes) collect(selectionSet);
  return names;
}

/** One entity, or null. */
export function singleField<T>(
  type: GraphQLObjectType,
  description: string,
  find: (context: SubgraphContext, id: string) => Promise<T | undefined> | T | undefined,
): RootField {
  return {
    type,
    description,
    args: { id: { type: new GraphQLNonNull(GraphQLID) }, ...STATE_ARGUMENTS },
    resolve: (_, { id, block }, context, info) => {
      expectTip(context.state, block);
      context.spend(fieldsOf(info));
      return find(context, String(id).toLowerCase());
    },
  };
}

interface CollectionTypes<T, C extends string> {
  readonly type: GraphQLObjectType;
  readonly fields: ColumnFields<C | "id">;
  readonly prepare?: Prepare<T>;
  collectionOf(context: SubgraphContext): Collection<T, C | "id">;
}

/** The entity by its id, and the list of those in memory. */
export function collectionFields<T, C extends string>(
  [single, plural]: readonly [string, string],
  { type, fields, collectionOf, prepare }: CollectionTypes<T, C>,
  description: string,
): Record<string, RootField> {
  const { name } = type;
  const types = { type, prepare, orderBy: orderByType(name, Object.keys(fields)), where: filterType(name, fields) };
  return {
    [single]: singleField(type, description, (context, id) => collectionOf(context).items.get(id)),
    [plural]: listField(types, `${description}s`, async (context, request) => {
      const { orderBy, orderDirection, where, first, skip } = request;
      const condition = await parseWhere(context.state, where ?? {}, fields);
      const order = fields[orderBy ?? "id"]!.column;
      const selection = { where: condition, orderBy: order, isDescending: orderDirection === "desc", first, skip };
      return selectItems(collectionOf(context), selection);
    }),
  };
}

import type { GraphQLFieldConfig, GraphQLFieldConfigMap, GraphQLOutputType } from "graphql";
import { GraphQLNonNull, GraphQLObjectType } from "graphql";
import type { SubgraphContext } from "./context.ts";

export type Fields<T> = GraphQLFieldConfigMap<T, SubgraphContext>;

/** A field that always has a value. */
export function field<T>(
  type: GraphQLOutputType,
  description: string,
  resolve: (item: T, context: SubgraphContext) => unknown,
): GraphQLFieldConfig<T, SubgraphContext> {
  return { type: new GraphQLNonNull(type), description, resolve: (item, _, context) => resolve(item, context) };
}

/** Fields may name types that are made later. */
export function objectType<T>(name: string, fields: () => Fields<T>): GraphQLObjectType<T, SubgraphContext> {
  return new GraphQLObjectType<T, SubgraphContext>({ name, fields });
}

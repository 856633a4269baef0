import { GraphQLEnumType, GraphQLInputObjectType, GraphQLInt } from "graphql";
import { BytesType } from "./scalars.ts";

export const OrderDirectionType = new GraphQLEnumType({ name: "OrderDirection", values: { asc: {}, desc: {} } });

export const ErrorPolicyType = new GraphQLEnumType({
  name: "_SubgraphErrorPolicy_",
  values: { allow: {}, deny: {} },
});

export const BlockHeightType = new GraphQLInputObjectType({
  name: "Block_height",
  description: "the newest indexed block",
  fields: { hash: { type: BytesType }, number: { type: GraphQLInt }, number_gte: { type: GraphQLInt } },
});

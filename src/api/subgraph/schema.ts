import { GraphQLBoolean, GraphQLInt, GraphQLNonNull, GraphQLObjectType, GraphQLSchema } from "graphql";
import { toHex } from "../../chain/encoding/hex.ts";
import type { SubgraphKind } from "../../query/subgraph/subgraphMarket.ts";
import type { SubgraphContext } from "./context.ts";
import { field, objectType } from "./fields.ts";
import type { RootField } from "./lists.ts";
import { expectTip } from "./lists.ts";
import { BytesType } from "./scalars.ts";
import { BlockHeightType } from "./sharedTypes.ts";
import { v2Entities } from "./v2Entities.ts";
import { v2Events } from "./v2Events.ts";
import { v2Periods } from "./v2Periods.ts";
import { v3Entities } from "./v3Entities.ts";
import { v3Events } from "./v3Events.ts";
import { v3Periods } from "./v3Periods.ts";

type Tip = SubgraphContext["state"]["tip"];

const BlockType = objectType<Tip>("_Block_", () => ({
  number: field(GraphQLInt, "its number", ({ number }) => number),
  hash: field(BytesType, "its hash", ({ hash }) => toHex(hash)),
  timestamp: field(GraphQLInt, "its time, in seconds since 1970", ({ timestamp }) => timestamp),
}));

const MetaType = objectType<Tip>("_Meta_", () => ({
  block: field(BlockType, "the block of the answer", (tip) => tip),
  hasIndexingErrors: field(GraphQLBoolean, "false: a block is indexed whole, or not at all", () => false),
}));

const META: RootField = {
  type: new GraphQLNonNull(MetaType),
  description: "the state that the answer is of",
  args: { block: { type: BlockHeightType } },
  resolve: (_, { block }, { state }) => {
    expectTip(state, block);
    return state.tip;
  },
};

const ROOTS = {
  v2: () => ({ ...v2Entities(), ...v2Events(), ...v2Periods() }),
  v3: () => ({ ...v3Entities(), ...v3Events(), ...v3Periods() }),
} as const;

const made = new Map<SubgraphKind, GraphQLSchema>();

export function schemaOf(kind: SubgraphKind): GraphQLSchema {
  const known = made.get(kind);
  if (known !== undefined) return known;
  const fields = { ...ROOTS[kind](), _meta: META };
  const schema = new GraphQLSchema({ query: new GraphQLObjectType({ name: "Query", fields }) });
  made.set(kind, schema);
  return schema;
}

import { GraphQLID } from "graphql";
import { unitsOf } from "../../exchange/decimal.ts";
import type { Collection } from "../../query/subgraph/selectItems.ts";
import type { SubgraphContext } from "./context.ts";
import { field, objectType } from "./fields.ts";
import { dollars } from "./figures.ts";
import type { RootField } from "./lists.ts";
import { collectionFields } from "./lists.ts";
import { BigDecimalType } from "./scalars.ts";

interface Bundle {
  readonly id: string;
  /** Of a wei. */
  readonly price: bigint;
}

/** The only one has this id. */
const ID = "1";

function bundles({ state }: SubgraphContext): Collection<Bundle, "id"> {
  const { coinPrice: price } = state.market;
  const items = new Map(price === undefined ? [] : [[ID, { id: ID, price }]]);
  return { items, columns: { id: ({ id }) => id } };
}

/** The price of the network's coin; none while no pool sets it. */
export function bundleFields(name: "ethPrice" | "ethPriceUSD"): Record<string, RootField> {
  const type = objectType<Bundle>("Bundle", () => ({
    id: field(GraphQLID, "`1`", ({ id }) => id),
    [name]: field(BigDecimalType, "the price of the network's coin in dollars", ({ price }) =>
      dollars(price * unitsOf(18)),
    ),
  }));
  const fields = { id: { type: GraphQLID, column: "id" } } as const;
  return collectionFields(["bundle", "bundles"], { type, fields, collectionOf: bundles }, "the price of the coin");
}

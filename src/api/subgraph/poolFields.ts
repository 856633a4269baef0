import type { SubgraphPool } from "../../query/subgraph/subgraphMarket.ts";
import type { Fields } from "./fields.ts";
import { field } from "./fields.ts";
import { BigIntType } from "./scalars.ts";

/** What both subgraphs have of pools. */
export const createdFields = (): Fields<SubgraphPool> => ({
  txCount: field(
    BigIntType,
    "in how many transactions it was traded, or its liquidity changed",
    ({ transactions }) => transactions,
  ),
  createdAtTimestamp: field(BigIntType, "the time of the block that created it", ({ pool }, { times }) =>
    times.load(pool.since),
  ),
  createdAtBlockNumber: field(BigIntType, "the block that created it", ({ pool }) => pool.since),
});

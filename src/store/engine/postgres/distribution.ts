import type { Dialect } from "../database.ts";
import { createdTable, distributionColumn } from "./distributedTables.ts";
import { NodeVersions } from "./nodeVersions.ts";
import { DIALECT, DISTRIBUTED_DIALECT, PLANNER } from "./postgresDialect.ts";

/** Statements that differ between distributed and local tables. */
export interface Distribution {
  readonly dialect: Dialect;
  /** Of each transaction. */
  readonly settings: Readonly<Record<string, string>>;
  readonly versions: NodeVersions | undefined;
  /** A statement that follows one that creates a table. */
  readonly afterCreating: (sql: string) => string | undefined;
}

export const ON_ONE_NODE: Distribution = {
  dialect: DIALECT,
  settings: PLANNER,
  versions: undefined,
  afterCreating: () => undefined,
};

/** One connection to each node, so that a transaction has one snapshot there and commits in one step. */
const ONE_CONNECTION = {
  "citus.max_adaptive_executor_pool_size": "1",
  "citus.multi_shard_modify_mode": "sequential",
};

/** The coordinator's commit decides what becomes of transactions that workers have prepared: it must not be lost. */
const DURABLE = { synchronous_commit: "on" };

export const onNodes = (schema: string): Distribution => ({
  dialect: DISTRIBUTED_DIALECT,
  // Shards are selected by the values of parameters, which a generic plan does not have.
  settings: { ...PLANNER, plan_cache_mode: "force_custom_plan", ...ONE_CONNECTION, ...DURABLE },
  versions: new NodeVersions(schema),
  afterCreating: (sql) => {
    const table = createdTable(sql);
    const column = table === undefined ? undefined : distributionColumn(table);
    return table === undefined || column === undefined ? undefined : NodeVersions.distributeSql(schema, table, column);
  },
});

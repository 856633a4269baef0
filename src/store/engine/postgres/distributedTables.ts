/**
 * Columns by which Citus distributes the tables of an index, all of one colocation group, so that rows of one address are
 * on one node. Every other table stays on the coordinator: what is small, what is written and deleted again, and what is
 * found by key before anything else is read.
 */
const BY_OWNER = {
  id: ["address", "signature", "miner", "item", "trace_address", "token", "wrapper", "asset_count"],
  owner: [
    ...[
      "address_tx",
      "address_log",
      "signature_log",
      "miner_block",
      "token_transfer",
      "address_transfer",
      "token_item",
      "item_transfer",
      "trace_address_call",
    ].flatMap((list) => [`${list}_tail`, `${list}_run`]),
    "address_log_count",
    "item_holder_count",
  ],
  address: ["contract", "trace_creation", "holding", "item_holding", "holding_run", "asset"],
  token: ["holder", "item_holder", "wrapped_coin", "token_observation", "token_due"],
} as const;

/** Rows of the chain in its order: neighbours are on different nodes, so that the newest blocks do not load one alone. */
const BY_POSITION = { position: ["tx", "tx_part", "log_chunk", "transfer", "trace_call"] } as const;

const COLUMNS: ReadonlyMap<string, string> = new Map(
  [...Object.entries(BY_OWNER), ...Object.entries(BY_POSITION)].flatMap(([column, tables]) =>
    tables.map((table) => [table, column] as const),
  ),
);

/** Undefined for a table of the coordinator. */
export const distributionColumn = (table: string): string | undefined => COLUMNS.get(table);

export const DISTRIBUTED_TABLES: readonly string[] = [...COLUMNS.keys()];

/** The table that a statement creates. */
export function createdTable(sql: string): string | undefined {
  return /^CREATE TABLE (\w+)/.exec(sql)?.[1];
}

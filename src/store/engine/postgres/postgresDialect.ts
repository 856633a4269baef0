import type { Dialect } from "../database.ts";

/**
 * Planner settings under which the join order is that of the statement, and each table is read by its key. Tables that
 * were never analyzed are scanned otherwise, even for a range of keys that is empty.
 */
export const PLANNER = {
  join_collapse_limit: "1",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  enable_seqscan: "off",
  jit: "off",
  max_parallel_workers_per_gather: "0",
  // Plans depend on no parameter then, so none is made more than once per connection.
  plan_cache_mode: "force_generic_plan",
};

export const DIALECT: Dialect = {
  integer: "BIGINT",
  bytes: "BYTEA",
  // Otherwise strings sort by the locale of the database.
  text: 'TEXT COLLATE "C"',
  clustered: "",
  // A new version on the page of the old one needs no entry in the index, and the next change reclaims the old one.
  updated: " WITH (fillfactor = 88)",
  // Each commit writes the tails of lists, holdings and ranks of busy owners once more.
  batchFactor: 3,
  digits: (expression) => `upper(encode(${expression}, 'hex'))`,
  pack: (integer, bytes) =>
    `string_agg(${integer}::text, ','), string_agg(length(${bytes})::text, ','), string_agg(${bytes}, ''::bytea)`,
  packIntegers: (integer) => `string_agg(${integer}::text, ',')`,
  list: "(SELECT value::bigint AS value FROM json_array_elements_text(?::json))",
  joinValues: (table) =>
    `SELECT string_agg(t.value, ''::bytea ORDER BY i.place) FROM json_array_elements_text(?::json) WITH ORDINALITY i(value, place) JOIN ${table} t ON t.id = i.value::bigint WHERE length(t.value) = ?`,
  ofEachPair: (aggregate, table, condition) =>
    `SELECT w.column1, w.column2, (SELECT ${aggregate} FROM ${table} WHERE ${condition}) AS value FROM ($pairs) w`,
  joinInOrder: "CROSS JOIN",
  columns: `SELECT a.attname::text, coalesce((SELECT k.place FROM pg_index i CROSS JOIN unnest(i.indkey) WITH ORDINALITY k(number, place)
      WHERE i.indrelid = a.attrelid AND i.indisprimary AND k.number = a.attnum), 0)
    FROM pg_attribute a WHERE a.attrelid = to_regclass(?) AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum`,
  indexOf: (bytes, part) => `position(${part} IN ${bytes})`,
  byteAt: (bytes, place) => `get_byte(${bytes}, ${place - 1})::bigint`,
};

/** Citus computes no subquery for each row of a list that is a parameter. */
export const DISTRIBUTED_DIALECT: Dialect = {
  ...DIALECT,
  ofEachPair: (aggregate, table, condition) =>
    `SELECT w.column1, w.column2, ${aggregate} AS value FROM ($pairs) w CROSS JOIN ${table} WHERE ${condition} GROUP BY w.column1, w.column2`,
};

const numbered = new Map<string, string>();

/** Numbers the parameters. */
export function numberParameters(sql: string): string {
  const known = numbered.get(sql);
  if (known !== undefined) return known;
  let count = 0;
  const text = sql.replaceAll("?", () => `$${++count}`);
  numbered.set(sql, text);
  return text;
}

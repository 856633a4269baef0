import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { Dialect } from "../engine/database.ts";
import type { KeyTable } from "./keyTable.ts";
import { KEY_DIGITS, patternOf } from "./packedEntries.ts";

/** Parameters of the statements below: keys with the bytes that they are found by. */
export const soughtKeys = (keys: readonly number[]): [key: number, pattern: Bytes][] =>
  keys.map((key) => [key, patternOf(key)]);

/**
 * A subquery of `loadPairs` with rows `(prefix, value)` for keys, in one statement however many runs there are. Rows may
 * repeat, as keys do that fill up a statement.
 */
export function findKeys(table: KeyTable, dialect: Dialect): string {
  const known = FOUND.get(dialect)?.get(table.name);
  if (known !== undefined) return known;
  const sql = writeFind(table, dialect);
  FOUND.set(dialect, (FOUND.get(dialect) ?? new Map()).set(table.name, sql));
  return sql;
}

/** By name of the table. */
const FOUND = new WeakMap<Dialect, Map<string, string>>();

function writeFind(table: KeyTable, dialect: Dialect): string {
  const { joinInOrder } = dialect;
  const rows = `SELECT s.prefix, h.value FROM sought s ${joinInOrder} ${table.name} h WHERE h.prefix = s.prefix`;
  return `${packed(table, dialect, "$pairs")} ${rows} UNION ALL ${PACKED_ROWS}`;
}

/** The same of runs alone, for one key as two parameters. */
export function findPackedKey(table: KeyTable, dialect: Dialect): string {
  const { integer, bytes } = dialect;
  return `${packed(table, dialect, `VALUES (CAST(? AS ${integer}), CAST(? AS ${bytes}))`)} ${PACKED_ROWS}`;
}

const PACKED_ROWS = "SELECT p.prefix, p.value FROM packed p WHERE p.value <= p.highest";

/** Parameters may be floating point, whose division is another. Materialized step by step, so that a body is searched once and a value is computed once. */
function packed({ name, valueDigits }: KeyTable, dialect: Dialect, pairs: string): string {
  const { joinInOrder, indexOf, byteAt, integer } = dialect;
  const at = indexOf("b.body", "s.pattern");
  const from = `sought s ${joinInOrder} ${name}_run r ${joinInOrder} ${name}_body b`;
  const isLive = "s.prefix >= r.low AND s.prefix < r.high AND b.id = r.first + s.prefix / r.width";
  const digits = `substr(b.body, ${at} + ${KEY_DIGITS}, ${valueDigits})`;
  const value = Array.from({ length: valueDigits }, (_, i) => `${byteAt("d.digits", i + 1)} * ${2 ** (7 * i)}`);
  return `WITH sought AS (SELECT DISTINCT CAST(column1 AS ${integer}) AS prefix, column2 AS pattern FROM (${pairs}) w),
    matched AS MATERIALIZED (SELECT s.prefix, r.highest, ${digits} AS digits FROM ${from} WHERE ${isLive} AND ${at} > 0),
    packed AS MATERIALIZED (SELECT d.prefix, d.highest, ${value.join(" + ")} AS value FROM matched d)`;
}

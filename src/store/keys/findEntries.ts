import type { Bytes } from "../../chain/encoding/bytes.ts";
import { settleAll } from "../../std/async.ts";
import type { Reader } from "../engine/database.ts";
import { IntegerPairs } from "../rows/integerPairs.ts";
import type { MergedKeys } from "./merge.ts";
import { findInBody } from "./packedEntries.ts";
import type { Run } from "./runs.ts";
import { isDead } from "./runs.ts";

async function readRowKeys(db: Reader, table: string): Promise<Set<number>> {
  const rows = await db.all<[number]>(`SELECT prefix FROM ${table}`);
  return new Set(rows.map(([key]) => key));
}

/** Finds many keys for the writer, which has filters: about one row of a run is read for each key that is there. */
export async function findEntries(db: Reader, keys: MergedKeys, sought: readonly number[]): Promise<IntegerPairs> {
  const found = new IntegerPairs();
  await settleAll([findRows(db, keys, sought, found), findPacked(db, keys, sought, found)]);
  return found;
}

async function findRows(db: Reader, keys: MergedKeys, sought: readonly number[], found: IntegerPairs): Promise<void> {
  const { name } = keys.table;
  const rowKeys = keys.rowKeys ?? (await readRowKeys(db, name));
  keys.rowKeys = rowKeys;
  const sql = `SELECT prefix, value FROM ${name} WHERE prefix IN ($keys)`;
  const rows = await db.load<[number, number]>(
    sql,
    sought.filter((key) => rowKeys.has(key)),
  );
  for (const [key, value] of rows) found.add(key, value);
}

async function findPacked(db: Reader, keys: MergedKeys, sought: readonly number[], found: IntegerPairs): Promise<void> {
  const { name, valueDigits } = keys.table;
  const searches = searchesFor(keys, sought);
  const ids = [...searches.keys()].sort((a, b) => a - b);
  const sql = `SELECT id, body FROM ${name}_body WHERE id IN ($keys)`;
  for (const [id, body] of await db.load<[number, Bytes]>(sql, ids)) {
    const { run, sought: own } = searches.get(id)!;
    for (const key of own) {
      const value = findInBody(body, key, valueDigits);
      if (value !== undefined && value <= run.highest) found.add(key, value);
    }
  }
}

interface Search {
  readonly run: Run;
  readonly sought: number[];
}

/** What to look for in which row. */
function searchesFor({ runs, filters }: MergedKeys, sought: readonly number[]): Map<number, Search> {
  const searches = new Map<number, Search>();
  for (const run of runs) {
    if (isDead(run)) continue;
    for (const key of filters.select(run, sought)) {
      const id = run.first + Math.floor(key / run.width);
      const search = searches.get(id);
      if (search === undefined) searches.set(id, { run, sought: [key] });
      else search.sought.push(key);
    }
  }
  return searches;
}

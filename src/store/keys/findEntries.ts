import { settleAll } from "../../std/async.ts";
import type { Reader } from "../engine/database.ts";
import type { PackedColumns } from "../rows/packedRows.ts";
import { unpackRows } from "../rows/packedRows.ts";
import { KeyEntries } from "./keyEntries.ts";
import { entryColumns } from "./keyTable.ts";
import type { MergedKeys } from "./merge.ts";
import { findInBody } from "./packedEntries.ts";
import type { Run } from "./runs.ts";
import { isDead } from "./runs.ts";

async function readRowKeys(db: Reader, table: string): Promise<Set<number>> {
  const rows = await db.all<[number]>(`SELECT prefix FROM ${table}`);
  return new Set(rows.map(([key]) => key));
}

/** Finds many keys for the writer, which has filters: about one row of a run is read for each key that is there. */
export async function findEntries(db: Reader, keys: MergedKeys, sought: readonly number[]): Promise<KeyEntries> {
  const found = new KeyEntries();
  await settleAll([findRows(db, keys, sought, found), findPacked(db, keys, sought, found)]);
  return found;
}

async function findRows(db: Reader, keys: MergedKeys, sought: readonly number[], found: KeyEntries): Promise<void> {
  const { name } = keys.table;
  const rowKeys = keys.rowKeys ?? (await readRowKeys(db, name));
  keys.rowKeys = rowKeys;
  const sql = `SELECT ${entryColumns(keys.table)} FROM ${name} WHERE prefix IN ($keys)`;
  const rows = await db.load<EntryRow>(
    sql,
    sought.filter((key) => rowKeys.has(key)),
  );
  for (const row of rows) found.add(...row);
}

async function findPacked(db: Reader, keys: MergedKeys, sought: readonly number[], found: KeyEntries): Promise<void> {
  const searches = searchesFor(keys, sought);
  const ids = [...searches.keys()].sort((a, b) => a - b);
  const sql = `SELECT ${db.dialect.pack("id", "body")} FROM ${keys.table.name}_body WHERE id IN ($keys)`;
  for (const body of unpackRows(await db.load<PackedColumns>(sql, ids))) {
    const { run, sought: own } = searches.get(body.key)!;
    for (const key of own) findInBody(body, key, keys.table, run.highest, found);
  }
}

export type EntryRow = [key: number, value: number, fingerprint: number];

interface Search {
  readonly run: Run;
  readonly sought: number[];
}

/** Keys to look up, by row. */
function searchesFor({ runs, filters }: MergedKeys, sought: readonly number[]): Map<number, Search> {
  const searches = new Map<number, Search>();
  // In order, so that a filter is read from its beginning to its end.
  const ordered = Float64Array.from(sought).sort();
  for (const run of runs) {
    if (isDead(run)) continue;
    for (const key of filters.select(run, ordered)) {
      const id = run.first + Math.floor(key / run.width);
      const search = searches.get(id);
      if (search === undefined) searches.set(id, { run, sought: [key] });
      else search.sought.push(key);
    }
  }
  return searches;
}

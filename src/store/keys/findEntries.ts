import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { Reader } from "../engine/database.ts";
import { IntegerPairs } from "../rows/integerPairs.ts";
import type { MergedKeys } from "./merge.ts";
import { findInBody } from "./packedEntries.ts";
import type { Run } from "./runs.ts";
import { isDead } from "./runs.ts";

export async function readRowKeys(db: Reader, table: string): Promise<Set<number>> {
  const rows = await db.all<[number]>(`SELECT prefix FROM ${table}`);
  return new Set(rows.map(([key]) => key));
}

/** Finds many keys for the writer, which has filters: about one row of a run is read for each key that is there. */
export async function findEntries(
  db: Reader,
  keys: MergedKeys,
  rowKeys: ReadonlySet<number>,
  sought: readonly number[],
): Promise<IntegerPairs> {
  const { name, valueDigits } = keys.table;
  const found = new IntegerPairs();
  const asRows = sought.filter((key) => rowKeys.has(key));
  const rows = `SELECT prefix, value FROM ${name} WHERE prefix IN ($keys)`;
  for (const [key, value] of await db.load<[number, number]>(rows, asRows)) found.add(key, value);
  const searches = searchesFor(keys, sought);
  const ids = [...searches.keys()].sort((a, b) => a - b);
  const bodies = `SELECT id, body FROM ${name}_body WHERE id IN ($keys)`;
  for (const [id, body] of await db.load<[number, Bytes]>(bodies, ids)) {
    const { run, sought: own } = searches.get(id)!;
    for (const key of own) {
      const value = findInBody(body, key, valueDigits);
      if (value !== undefined && value <= run.highest) found.add(key, value);
    }
  }
  return found;
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

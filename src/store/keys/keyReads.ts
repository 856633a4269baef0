import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { Reader } from "../engine/database.ts";
import { keysetPages } from "../engine/keysetPages.ts";
import { IntegerPairs } from "../rows/integerPairs.ts";
import { findKeys, soughtKeys } from "./findKeys.ts";
import type { KeyTable } from "./keyTable.ts";
import { KEY_SPACE } from "./keyTable.ts";
import { readBodies } from "./merge.ts";
import { unpackEntries } from "./packedEntries.ts";
import type { Run } from "./runs.ts";
import { readRuns } from "./runs.ts";

const BATCH_SIZE = 1000;

/** All entries, in pages in no order. */
export async function* allEntries(db: Reader, table: KeyTable): AsyncGenerator<IntegerPairs> {
  const sql = `SELECT prefix, value FROM ${table.name} WHERE (prefix, value) > (?, ?) ORDER BY prefix, value LIMIT ?`;
  const pages = keysetPages<[number, number]>(BATCH_SIZE, (last, count) => db.all(sql, ...(last ?? [-1, -1]), count));
  for await (const rows of pages) {
    const page = new IntegerPairs();
    for (const [key, value] of rows) page.add(key, value);
    yield page;
  }
  for (const run of await readRuns(db, table.name)) yield* entriesOf(db, table, run);
}

async function* entriesOf(db: Reader, { name, valueDigits }: KeyTable, run: Run): AsyncGenerator<IntegerPairs> {
  const sql = `SELECT id, body FROM ${name}_body WHERE id > ? AND id < ? ORDER BY id LIMIT ?`;
  const [from, to] = [run.first + run.low / run.width, run.first + run.high / run.width];
  const pages = keysetPages<[number, Bytes]>(BATCH_SIZE, (last, count) =>
    db.all(sql, last?.[0] ?? from - 1, to, count),
  );
  for await (const rows of pages) {
    const page = new IntegerPairs();
    for (const [id, body] of rows) unpackEntries(body, id, { ...run, valueDigits }, run.highest, page);
    yield page;
  }
}

export async function hasEntry(db: Reader, table: KeyTable, key: number, value: number): Promise<boolean> {
  const found = await db.loadPairs<[number, number]>(findKeys(table, db.dialect), soughtKeys([key]));
  return found.some(([, known]) => known === value);
}

export async function countEntries(db: Reader, table: KeyTable): Promise<number> {
  let count = 0;
  for await (const page of allEntries(db, table)) count += page.length;
  return count;
}

/** Keys above one in no order, and the one they reach to: at least `limit` unless it is the last of all. */
export async function keysAbove(
  db: Reader,
  table: KeyTable,
  after: number,
  limit: number,
): Promise<{ keys: number[]; last: number }> {
  const runs = await readRuns(db, table.name);
  const entries = runs.reduce((sum, run) => sum + run.entries, limit);
  const step = Math.ceil((limit / entries) * KEY_SPACE);
  const keys: number[] = [];
  let from = after + 1;
  while (keys.length < limit && from < KEY_SPACE) {
    const to = Math.min(from + step, KEY_SPACE);
    const sql = `SELECT prefix FROM ${table.name} WHERE prefix >= ? AND prefix < ?`;
    for (const [key] of await db.all<[number]>(sql, from, to)) keys.push(key);
    for (const run of runs) await addKeys(db, table, run, { from, to }, keys);
    from = to;
  }
  return { keys, last: from - 1 };
}

async function addKeys(
  db: Reader,
  { name, valueDigits }: KeyTable,
  run: Run,
  range: { readonly from: number; readonly to: number },
  keys: number[],
): Promise<void> {
  const [from, to] = [Math.max(range.from, run.low), Math.min(range.to, run.high)];
  if (from >= to) return;
  const found = new IntegerPairs();
  for (const [id, body] of await readBodies(db, name, run, { from, to }))
    unpackEntries(body, id, { ...run, valueDigits }, run.highest, found);
  for (let at = 0; at < found.length; at++) {
    const key = found.first(at);
    if (key >= from && key < to) keys.push(key);
  }
}

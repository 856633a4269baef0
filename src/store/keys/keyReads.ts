import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { Reader } from "../engine/database.ts";
import { keysetPages } from "../engine/keysetPages.ts";
import type { EntryRow } from "./findEntries.ts";
import { findKeys, soughtKeys } from "./findKeys.ts";
import { KeyEntries } from "./keyEntries.ts";
import type { KeyTable } from "./keyTable.ts";
import { entryColumns } from "./keyTable.ts";
import { unpackEntries } from "./packedEntries.ts";
import type { Run } from "./runs.ts";
import { readRuns } from "./runs.ts";

const BATCH_SIZE = 1000;

/** All entries, in pages in no order. */
export async function* allEntries(db: Reader, table: KeyTable): AsyncGenerator<KeyEntries> {
  const sql = `SELECT ${entryColumns(table)} FROM ${table.name} WHERE (prefix, value) > (?, ?) ORDER BY prefix, value LIMIT ?`;
  const pages = keysetPages<EntryRow>(BATCH_SIZE, (last, count) =>
    db.all(sql, last?.[0] ?? -1, last?.[1] ?? -1, count),
  );
  for await (const rows of pages) {
    const page = new KeyEntries();
    for (const row of rows) page.add(...row);
    yield page;
  }
  for (const run of await readRuns(db, table.name)) yield* entriesOf(db, table, run);
}

async function* entriesOf(db: Reader, table: KeyTable, run: Run): AsyncGenerator<KeyEntries> {
  const sql = `SELECT id, body FROM ${table.name}_body WHERE id > ? AND id < ? ORDER BY id LIMIT ?`;
  const packing = { ...table, ...run };
  const [from, to] = [run.first + run.low / run.width, run.first + run.high / run.width];
  const pages = keysetPages<[number, Bytes]>(BATCH_SIZE, (last, count) =>
    db.all(sql, last?.[0] ?? from - 1, to, count),
  );
  for await (const rows of pages) {
    const page = new KeyEntries();
    for (const [id, body] of rows) unpackEntries(body, id, packing, run.highest, page);
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

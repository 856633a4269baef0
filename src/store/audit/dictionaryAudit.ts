import type { Bytes } from "../../chain/encoding/bytes.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import { fingerprintHash } from "../dictionary/dictionary.ts";
import type { DictionaryRow } from "../dictionary/findValues.ts";
import { valuesByKey } from "../dictionary/findValues.ts";
import { soughtKeys } from "../keys/findKeys.ts";
import { allEntries } from "../keys/keyReads.ts";
import { dictionaryKeys, FINGERPRINTS } from "../keys/keyTable.ts";
import type { CoreReads } from "../read/coreReads.ts";
import type { AuditReport } from "./auditReport.ts";

/** Checks that dictionary values are found by key, each with a unique id. */
export async function expectFindable(
  report: AuditReport,
  { db, addressHasher: hash }: Pick<CoreReads, "db" | "addressHasher">,
  table: string,
  values: ReadonlyMap<number, Bytes>,
): Promise<void> {
  const sql = `SELECT h.prefix, v.id, v.value FROM ${valuesByKey(table, db.dialect)}`;
  const keys = new Map([...values].map(([id, value]) => [id, hash.key(value)]));
  const ids = new Map([...values].map(([id, value]) => [toHex(value), id]));
  const found = new Set<number>();
  const sought = soughtKeys([...new Set(keys.values())]);
  for (const [key, id, value] of await db.loadPairs<[number, number, Bytes]>(sql, sought)) {
    if (keys.get(id) === key) found.add(id);
    const own = ids.get(toHex(value)) ?? id;
    report.expect(own === id, `${table} ${id} and ${own} are the same`);
  }
  for (const id of values.keys()) report.expect(found.has(id), `${table} ${id} is not found by its value`);
}

/** Counts the keys of a dictionary, and checks that they have the fingerprints of their values. */
export async function auditKeys(
  report: AuditReport,
  { db, addressHasher }: Pick<CoreReads, "db" | "addressHasher">,
  table: string,
): Promise<number> {
  const hash = fingerprintHash(addressHasher);
  const sql = `SELECT id, value FROM ${table} WHERE id IN ($keys)`;
  let count = 0;
  for await (const page of allEntries(db, dictionaryKeys(table))) {
    const ids = Array.from({ length: page.length }, (_, at) => page.second(at));
    const values = new Map(await db.load<DictionaryRow>(sql, ids));
    for (const [at, id] of ids.entries()) {
      const value = values.get(id);
      const isOwn = value === undefined || hash.key(value) % FINGERPRINTS === page.fingerprint(at);
      report.expect(isOwn, `${table} ${id} has the fingerprint of another value`);
    }
    count += page.length;
  }
  return count;
}

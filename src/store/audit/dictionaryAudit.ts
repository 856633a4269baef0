import type { Bytes } from "../../chain/encoding/bytes.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import type { CoreReads } from "../read/coreReads.ts";
import type { AuditReport } from "./auditReport.ts";

/** Checks that dictionary values are found by key, each with a unique id. */
export async function expectFindable(
  report: AuditReport,
  { db, addressHasher: hash }: Pick<CoreReads, "db" | "addressHasher">,
  table: string,
  values: ReadonlyMap<number, Bytes>,
): Promise<void> {
  const sql = `SELECT h.prefix, v.id, v.value FROM ${table}_hash h JOIN ${table} v ON v.id = h.id WHERE h.prefix IN ($keys)`;
  const keys = new Map([...values].map(([id, value]) => [id, hash.key(value)]));
  const ids = new Map([...values].map(([id, value]) => [toHex(value), id]));
  const found = new Set<number>();
  for (const [key, id, value] of await db.load<[number, number, Bytes]>(sql, [...new Set(keys.values())])) {
    if (keys.get(id) === key) found.add(id);
    const own = ids.get(toHex(value)) ?? id;
    report.expect(own === id, `${table} ${id} and ${own} are the same`);
  }
  for (const id of values.keys()) report.expect(found.has(id), `${table} ${id} is not found by its value`);
}

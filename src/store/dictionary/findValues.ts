import type { Bytes } from "../../chain/encoding/bytes.ts";
import { equalBytes } from "../../chain/encoding/bytes.ts";
import type { Dialect, Reader } from "../engine/database.ts";
import { findKeys, soughtKeys } from "../keys/findKeys.ts";
import { dictionaryKeys } from "../keys/keyTable.ts";
import { asBytes } from "../rows/encoding.ts";
import type { KeyedHash } from "./keyedHash.ts";

export type DictionaryRow = [id: number, value: Bytes];

export async function findId(db: Reader, table: string, hash: KeyedHash, value: Bytes): Promise<number | undefined> {
  const rows = await findValues(db, table, [hash.key(value)]);
  return rows.find(([, known]) => equalBytes(asBytes(known), value))?.[0];
}

/** Values with some keys; one may come twice. */
export function findValues(db: Reader, table: string, keys: readonly number[]): Promise<DictionaryRow[]> {
  const sql = `SELECT v.id, v.value FROM ${valuesByKey(table, db.dialect)}`;
  return db.loadPairs<DictionaryRow>(sql, soughtKeys(keys));
}

/** For `FROM`, ending in a condition: the values `v` of a dictionary and their keys `h`, of keys that are `$pairs`. */
export function valuesByKey(table: string, dialect: Dialect, joined = ""): string {
  const keys = findKeys(dictionaryKeys(table), dialect);
  return `(${keys}) h ${dialect.joinInOrder} ${table} v ${joined} WHERE v.id = h.value`;
}

import type { Bytes } from "../../../src/chain/encoding/bytes.ts";
import { dictionaryKeys } from "../../../src/store/keys/keyTable.ts";
import type { ReadSession } from "../../../src/store/session.ts";
import { addressCalls } from "../../../src/store/stages/traces/traceTables.ts";
import { keyEntries } from "./keyLines.ts";

/** All data of the traces stage. Ids are assigned in order of first use, so they are comparable too. */
export async function* traceLines({ db, addressHasher: hash }: ReadSession): AsyncGenerator<unknown[]> {
  for (const [table, order] of TABLES) {
    for (const row of await db.all(`SELECT * FROM ${table} ORDER BY ${order}`)) yield [table, ...row];
  }
  for await (const { owner, count, entries } of addressCalls(db).owners()) {
    yield ["trace_address_call", owner, count, entries.map(({ position }) => position)];
  }
  const values = new Map(await db.all<[number, Bytes]>("SELECT id, value FROM trace_address"));
  const keys = await keyEntries(db, dictionaryKeys("trace_address"));
  for (const [key, id] of keys.sort(([, a], [, b]) => a - b)) {
    const value = values.get(id);
    yield ["trace_address_hash", id, value !== undefined && hash.key(value) === key];
  }
}

const TABLES = [
  ["trace_block", "number"],
  ["trace_call", "position"],
  ["trace_address", "id"],
  ["trace_creation", "address, position"],
] as const;

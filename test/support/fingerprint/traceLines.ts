import type { Bytes } from "../../../src/chain/encoding/bytes.ts";
import type { ReadSession } from "../../../src/store/session.ts";
import { addressCalls } from "../../../src/store/stages/traces/traceTables.ts";

/** Everything the traces stage says. Its addresses are numbered as traces first name them, so ids are values too. */
export async function* traceLines({ db, addressHasher: hash }: ReadSession): AsyncGenerator<unknown[]> {
  for (const [table, order] of TABLES) {
    for (const row of await db.all(`SELECT * FROM ${table} ORDER BY ${order}`)) yield [table, ...row];
  }
  for await (const { owner, count, entries } of addressCalls(db).owners()) {
    yield ["trace_address_call", owner, count, entries.map(({ position }) => position)];
  }
  const sql =
    "SELECT h.id, h.prefix, a.value FROM trace_address_hash h LEFT JOIN trace_address a ON a.id = h.id ORDER BY h.id";
  for (const [id, prefix, value] of await db.all<[number, number, Bytes | null]>(sql)) {
    yield ["trace_address_hash", id, value !== null && hash.key(value) === prefix];
  }
}

const TABLES = [
  ["trace_block", "number"],
  ["trace_call", "position"],
  ["trace_address", "id"],
  ["trace_creation", "address, position"],
] as const;

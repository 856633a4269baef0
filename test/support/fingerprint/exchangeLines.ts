import type { ReadSession } from "../../../src/store/session.ts";

const TABLES = [
  ["exchange_block", "number"],
  ["pool", "id"],
  ["pool_creation", "pool, factory"],
  ["pool_state", "pool, block"],
  ["position", "id, block"],
  ["position_owner", "owner, pool, position"],
] as const;

/** All data of the exchange stage. No row has a dictionary id, and pools are numbered in order of creation. */
export async function* exchangeLines({ db }: ReadSession): AsyncGenerator<unknown[]> {
  for (const [table, order] of TABLES) {
    for (const row of await db.all(`SELECT * FROM ${table} ORDER BY ${order}`)) yield [table, ...row];
  }
}

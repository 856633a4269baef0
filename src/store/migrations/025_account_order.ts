import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { Database } from "../engine/database.ts";
import { keysetPages } from "../engine/keysetPages.ts";
import { ByteReader, ByteWriter } from "../rows/encoding.ts";

/** Accounts with equal balances are ordered by their addresses, so that every index of a chain has the same order. */
export const accountOrder = (): string[] => [
  "DROP INDEX native_balance_rank",
  "ALTER TABLE native_balance DROP COLUMN id",
  "ALTER TABLE native_change DROP COLUMN met",
  "CREATE INDEX native_balance_rank ON native_balance (balance, address)",
];

const CHANGES_AT_ONCE = 100;
const ADDRESS_SIZE = 20;

/** Takes the ids out of the rows that can be put back. */
export async function removeAccountIds(database: Database): Promise<void> {
  const sql = "SELECT block, part, before FROM native_change WHERE (block, part) > (?, ?) ORDER BY block, part LIMIT ?";
  const pages = keysetPages<[number, number, Bytes]>(CHANGES_AT_ONCE, (last, count) =>
    database.all(sql, last?.[0] ?? -1, last?.[1] ?? 0, count),
  );
  for await (const rows of pages) {
    for (const [block, part, before] of rows) {
      const update = "UPDATE native_change SET before = ? WHERE block = ? AND part = ?";
      await database.run(update, withoutIds(before), block, part);
    }
  }
}

function withoutIds(before: Bytes): Bytes {
  const writer = new ByteWriter(before.length + 1);
  for (const reader = new ByteReader(before); !reader.done; ) {
    writer.raw(reader.raw(ADDRESS_SIZE));
    reader.varint();
    writer.string(reader.string());
  }
  return writer.copy();
}

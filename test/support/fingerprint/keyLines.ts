import type { Reader } from "../../../src/store/engine/database.ts";
import { allEntries } from "../../../src/store/keys/keyReads.ts";
import type { KeyTable } from "../../../src/store/keys/keyTable.ts";

/** All entries of a key table in order: which of them are rows and how the others are packed makes no difference. */
export async function keyEntries(db: Reader, table: KeyTable): Promise<[key: number, value: number][]> {
  const entries: [number, number][] = [];
  for await (const page of allEntries(db, table))
    for (let at = 0; at < page.length; at++) entries.push([page.first(at), page.second(at)]);
  return entries.sort(([key, value], [otherKey, other]) => key - otherKey || value - other);
}

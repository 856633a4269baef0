import type { Bytes } from "../../../chain/encoding/bytes.ts";
import type { Reader, Row, Writer } from "../../engine/database.ts";

/** Byte length, and two leading bytes. */
const LEVELS = 3;

function digitsOf(balance: Bytes, level: number): number {
  let digits = 0;
  for (let at = 0; at < level; at++) digits = digits * 256 + (balance[at] ?? 0);
  return digits;
}

/** Smallest balance with these leading bytes; short balances have implicit trailing zeros. */
export function smallestWithDigits(digits: number): Bytes {
  const bytes = Uint8Array.of((digits >> 16) & 255, (digits >> 8) & 255, digits & 255);
  let size = LEVELS;
  while (size > 0 && bytes[size - 1] === 0) size--;
  return bytes.subarray(0, size);
}

export async function recount(writer: Writer, removed: readonly Bytes[], added: readonly Bytes[]): Promise<void> {
  const changes = countBalances(removed, added);
  const changed = [...changes.entries()].flatMap(([level, ofLevel]) =>
    [...ofLevel].filter(([, by]) => by !== 0).map(([digits, by]) => ({ level: level + 1, digits, by })),
  );
  if (changed.length === 0) return;
  const sql = "SELECT level, digits, accounts FROM native_count WHERE (level, digits) IN ($pairs)";
  const rows = await writer.loadPairs<[number, number, number]>(
    sql,
    changed.map(({ level, digits }) => [level, digits] as const),
  );
  const known = new Map(rows.map(([level, digits, accounts]) => [keyOf(level, digits), accounts]));
  const counts = changed.map(({ level, digits, by }): [number, number, number] => [
    level,
    digits,
    (known.get(keyOf(level, digits)) ?? 0) + by,
  ]);
  const none = counts.filter(([, , accounts]) => accounts === 0).map(([level, digits]): Row => [level, digits]);
  await writer.remove("native_count", ["level", "digits"], none);
  const some = counts.filter(([, , accounts]) => accounts !== 0);
  await writer.upsert("native_count", ["level", "digits", "accounts"], some, 2);
}

const keyOf = (level: number, digits: number): number => level * 2 ** 24 + digits;

export function countBalances(
  removed: readonly Bytes[],
  added: readonly Bytes[],
): readonly ReadonlyMap<number, number>[] {
  const levels = Array.from({ length: LEVELS }, () => new Map<number, number>());
  const add = (balance: Bytes, by: number) => {
    for (const [at, counts] of levels.entries()) {
      const digits = digitsOf(balance, at + 1);
      counts.set(digits, (counts.get(digits) ?? 0) + by);
    }
  };
  for (const balance of removed) add(balance, -1);
  for (const balance of added) add(balance, 1);
  return levels;
}

/** Accounts with the same leading bytes, and an offset among them. */
interface Neighbours {
  readonly digits: number;
  readonly accounts: number;
  readonly before: number;
}

/** The group that contains a 0-based rank; undefined past the end. */
export async function findNeighbours(db: Reader, rank: number): Promise<Neighbours | undefined> {
  const sql =
    "SELECT digits, accounts FROM native_count WHERE level = ? AND digits >= ? AND digits < ? ORDER BY digits DESC";
  let found: Neighbours = { digits: 0, accounts: 0, before: rank };
  for (let level = 1; level <= LEVELS; level++) {
    const first = found.digits * 256;
    const rows = await db.all<[number, number]>(sql, level, first, first + 256);
    let { before } = found;
    const row = rows.find(([, accounts]) => {
      if (before < accounts) return true;
      before -= accounts;
      return false;
    });
    if (row === undefined) return undefined;
    found = { digits: row[0], accounts: row[1], before };
  }
  return found;
}

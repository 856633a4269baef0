import type { Bytes } from "../../chain/encoding/bytes.ts";
import { itemAt } from "../../std/values.ts";
import type { Reader } from "../engine/database.ts";
import { viewOf } from "../rows/byteRange.ts";
import type { PackedColumns } from "../rows/packedRows.ts";
import { integersOf, unpackRows } from "../rows/packedRows.ts";
import type { Tail } from "./listRuns.ts";
import { NO_TAIL } from "./listRuns.ts";
import type { TailColumn } from "./tailCounters.ts";

export interface TailRow extends Tail {
  readonly others: readonly Bytes[];
}

const NO_OTHERS: readonly Bytes[] = [];

export const NEW_TAIL: TailRow = { ...NO_TAIL, others: NO_OTHERS };

/** Owners and bodies, counts, and owners and bytes of each other column. */
type PackedTails = [...PackedColumns, counts: string | null, ...others: PackedColumns[number][]];

/** By owner; missing if there is no list. */
export async function loadTails(
  db: Reader,
  table: string,
  columns: readonly TailColumn[],
  owners: readonly number[],
): Promise<Map<number, TailRow>> {
  const { pack, packIntegers } = db.dialect;
  const others = columns.map((column) => `, ${pack("owner", column.name)}`).join("");
  const sql = `SELECT ${pack("owner", "body")}, ${packIntegers("count")}${others} FROM ${table} WHERE owner IN ($keys)`;
  const tails = new Map<number, TailRow>();
  for (const packed of await db.load<PackedTails>(sql, owners)) unpackTails(packed, columns.length, tails);
  return tails;
}

function unpackTails(
  [keys, sizes, bytes, counts, ...packed]: PackedTails,
  columns: number,
  tails: Map<number, TailRow>,
): void {
  const ofCounts = integersOf(counts ?? "");
  const rows = unpackRows([[keys, sizes, bytes]]);
  const ofOthers = Array.from({ length: columns }, (_, at) =>
    unpackRows([packed.slice(3 * at, 3 * at + 3) as PackedColumns]),
  );
  for (let at = 0; at < rows.length; at++) {
    const row = itemAt(rows, at);
    const others = columns === 0 ? NO_OTHERS : ofOthers.map((other) => viewOf(itemAt(other, at)));
    tails.set(row.key, { count: ofCounts[at]!, body: viewOf(row), others });
  }
}

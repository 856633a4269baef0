import type { Dialect, Reader } from "../engine/database.ts";
import { inDialect } from "../engine/database.ts";
import type { PackedColumns, PackedRow } from "../rows/packedRows.ts";
import { unpackRows } from "../rows/packedRows.ts";
import type { Position } from "../rows/position.ts";
import { blockOf, firstPosition } from "../rows/position.ts";

const AT = inDialect(
  ({ pack, list, joinInOrder }) =>
    `SELECT ${pack("t.position", "t.body")} FROM ${list} i ${joinInOrder} tx t WHERE t.position = i.value`,
);
/** Positions of transactions at or below those of `($pairs)`, which are followed by the first position of their block. */
export const nearestBelow = ({ ofEachPair }: Dialect): string =>
  `SELECT e.value FROM (${ofEachPair("max(n.position)", "tx n", "n.position <= w.column1 AND n.position >= w.column2")}) e`;

export const pairWithBlock = (position: Position): readonly [Position, Position] => [
  position,
  firstPosition(blockOf(position)),
];

const AT_OR_BELOW = inDialect(
  (dialect) =>
    `SELECT ${dialect.pack("t.position", "t.body")} FROM tx t WHERE t.position IN (${nearestBelow(dialect)})`,
);
const BETWEEN = inDialect(
  ({ pack }) =>
    `SELECT ${pack("r.position", "r.body")} FROM (SELECT position, body FROM tx WHERE position >= (SELECT max(position) FROM tx WHERE position <= ?) AND position <= ? ORDER BY position LIMIT ?) r`,
);

const FROM_ON = inDialect(
  ({ pack }) =>
    `SELECT ${pack("r.position", "r.body")} FROM (SELECT position, body FROM tx WHERE position >= ? AND position < ? ORDER BY position LIMIT ?) r`,
);

/** Ascending; skips missing ones. */
export async function readRowsAt(db: Reader, positions: readonly Position[]): Promise<readonly PackedRow[]> {
  const rows = unpackRows(await db.all<PackedColumns>(AT(db), JSON.stringify(positions)));
  return rows.sort((a, b) => a.key - b.key);
}

/** From this many positions per block on, whole ranges are read. */
const DENSE = 16;

/** Rows per position that a range read may return. */
const MAX_GAP_ROWS = 2;

/** Rows at or nearest below ascending positions. May include others. */
export async function readTransactionRows(db: Reader, positions: readonly Position[]): Promise<readonly PackedRow[]> {
  const between = isDense(positions) ? await readBetween(db, positions) : { rows: [], areAll: false };
  if (between.areAll) return between.rows;
  const last = between.rows.at(-1)?.key ?? -1;
  const pairs = positions.filter((position) => position > last).map(pairWithBlock);
  const found = unpackRows(await db.loadPairs<PackedColumns>(AT_OR_BELOW(db), pairs));
  const rest = found.sort((a, b) => a.key - b.key).filter(({ key }, at) => key > (found[at - 1]?.key ?? last));
  return [...between.rows, ...rest];
}

function isDense(positions: readonly Position[]): boolean {
  const [first, last] = [positions[0], positions.at(-1)];
  if (first === undefined || last === undefined) return false;
  return positions.length >= DENSE * (blockOf(last) - blockOf(first) + 1);
}

async function readBetween(db: Reader, positions: readonly Position[]) {
  const limit = MAX_GAP_ROWS * positions.length;
  const [from, to] = [positions[0]!, positions.at(-1)!];
  const found = unpackRows(await db.all<PackedColumns>(BETWEEN(db), from, to, limit));
  const rows = found.sort((a, b) => a.key - b.key);
  return { rows, areAll: rows.length < limit };
}

/** Range [from, end), at most `most`. */
export async function readRowsFrom(
  db: Reader,
  from: Position,
  end: Position,
  max: number,
): Promise<readonly PackedRow[]> {
  const rows = unpackRows(await db.all<PackedColumns>(FROM_ON(db), from, end, max));
  return rows.sort((a, b) => a.key - b.key);
}

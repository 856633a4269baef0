import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { Reader, Row, Writer } from "../engine/database.ts";
import { LOGS_PART, readRowHead } from "../rows/bodyParts.ts";
import type { DividedBody } from "../rows/dividedBody.ts";
import { divideBody, joinBody } from "../rows/dividedBody.ts";
import type { Position } from "../rows/position.ts";

/** Most bodies are not divided. */
export async function readFullBody(db: Reader, position: Position, row: Bytes): Promise<Bytes> {
  if (readRowHead(row).overflow === 0) return row;
  return joinBody({ row, ...(await readOverflow(db, position)) });
}

/** The same of some transactions, in their order. */
export async function readFullBodies(db: Reader, rows: readonly PositionedRow[]): Promise<Bytes[]> {
  const divided = rows.filter(([, row]) => readRowHead(row).overflow !== 0).map(([position]) => position);
  const [parts, chunks] = await Promise.all([
    loadByPosition(db, "SELECT position, part, body FROM tx_part WHERE position IN ($keys)", divided),
    loadByPosition(db, "SELECT position, first, body FROM log_chunk WHERE position IN ($keys)", divided),
  ]);
  return rows.map(([position, row]) => {
    if (readRowHead(row).overflow === 0) return row;
    return joinBody({ row, parts: parts.get(position) ?? [], chunks: chunks.get(position) ?? [] });
  });
}

/** The bodies of some transactions without their logs, by their positions. */
export async function readUncutBodies(db: Reader, positions: readonly Position[]): Promise<Map<Position, Bytes>> {
  const ofParts = `SELECT position, part, body FROM tx_part WHERE part < ${LOGS_PART} AND position IN ($keys)`;
  const [rows, parts] = await Promise.all([
    db.load<[Position, Bytes]>("SELECT position, body FROM tx WHERE position IN ($keys)", positions),
    loadByPosition(db, ofParts, positions),
  ]);
  return new Map(
    rows.map(([position, row]) => [position, joinBody({ row, parts: parts.get(position) ?? [], chunks: [] })]),
  );
}

type PositionedRow = readonly [position: Position, row: Bytes];

/** Numbered bytes by the positions of their transactions, in the order of their numbers. */
async function loadByPosition(
  db: Reader,
  sql: string,
  positions: readonly Position[],
): Promise<Map<Position, [number, Bytes][]>> {
  const found = new Map<Position, [number, Bytes][]>();
  for (const [position, number, body] of await db.load<[Position, number, Bytes]>(sql, positions)) {
    const ofPosition = found.get(position) ?? [];
    ofPosition.push([number, body]);
    found.set(position, ofPosition);
  }
  for (const numbered of found.values()) numbered.sort(([a], [b]) => a - b);
  return found;
}

/** Overflow rows of a transaction. */
export async function readOverflow(db: Reader, position: Position): Promise<Omit<DividedBody, "row">> {
  const ofChunks = "SELECT first, body FROM log_chunk WHERE position = ? ORDER BY first";
  const [parts, chunks] = await Promise.all([
    db.all<[number, Bytes]>("SELECT part, body FROM tx_part WHERE position = ?", position),
    db.all<[number, Bytes]>(ofChunks, position),
  ]);
  return { parts, chunks };
}

/** Collects overflow rows to be written. */
export class OverflowRows {
  readonly #parts: Row[] = [];
  readonly #chunks: Row[] = [];

  /** Returns the row. */
  divide(position: Position, body: Bytes): Bytes {
    const { row, parts, chunks } = divideBody(body);
    for (const [part, bytes] of parts) this.#parts.push([position, part, bytes]);
    for (const [first, bytes] of chunks) this.#chunks.push([position, first, bytes]);
    return row;
  }

  async write(writer: Writer): Promise<void> {
    await writer.insert("tx_part", ["position", "part", "body"], this.#parts);
    await writer.insert("log_chunk", ["position", "first", "body"], this.#chunks);
    this.#parts.length = 0;
    this.#chunks.length = 0;
  }
}

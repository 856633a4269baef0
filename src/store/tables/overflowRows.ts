import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { Reader, Row, Writer } from "../engine/database.ts";
import { LOGS_PART, readRowHead } from "../rows/bodyParts.ts";
import type { DividedBody } from "../rows/dividedBody.ts";
import { divideBody, joinBody } from "../rows/dividedBody.ts";
import type { Position } from "../rows/position.ts";

/** Most bodies are not divided. */
export async function readFullBody(db: Reader, position: Position, row: Bytes): Promise<Bytes> {
  if (readRowHead(row).apart === 0) return row;
  return joinBody({ row, ...(await readApart(db, position)) });
}

export async function readUncutBody(db: Reader, position: Position, row: Bytes): Promise<Bytes> {
  const sql = "SELECT part, body FROM tx_part WHERE position = ? AND part < ?";
  const parts = await db.all<[number, Bytes]>(sql, position, LOGS_PART);
  return joinBody({ row, parts, chunks: [] });
}

/** Overflow rows of a transaction. */
export async function readApart(db: Reader, position: Position): Promise<Omit<DividedBody, "row">> {
  const ofChunks = "SELECT first, body FROM log_chunk WHERE position = ? ORDER BY first";
  return {
    parts: await db.all<[number, Bytes]>("SELECT part, body FROM tx_part WHERE position = ?", position),
    chunks: await db.all<[number, Bytes]>(ofChunks, position),
  };
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

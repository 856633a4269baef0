import type { Bytes } from "../../../../chain/encoding/bytes.ts";
import type { Reader } from "../../../engine/database.ts";
import { keysetPages } from "../../../engine/keysetPages.ts";
import type { Position } from "../../../rows/position.ts";

const TRANSFER_BATCH_SIZE = 1000;

/** From a position, optionally below another, in batches. */
export async function* storedTransfers(
  db: Reader,
  first: number,
  end = Number.MAX_SAFE_INTEGER,
): AsyncGenerator<[position: Position, body: Bytes]> {
  const sql = "SELECT position, body FROM transfer WHERE position >= ? AND position < ? ORDER BY position LIMIT ?";
  const pages = keysetPages<[number, Bytes]>(TRANSFER_BATCH_SIZE, (last, count) =>
    db.all(sql, last === undefined ? first : last[0] + 1, end, count),
  );
  for await (const rows of pages) yield* rows;
}

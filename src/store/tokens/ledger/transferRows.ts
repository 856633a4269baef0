import type { Bytes } from "../../../chain/encoding/bytes.ts";
import type { Connection } from "../../engine/engine.ts";

const TRANSFERS_AT_ONCE = 1000;

/** The rows of the transfers from a position on, and below another if it is given, some at a time. */
export async function* storedTransfers(
  connection: Connection,
  first: number,
  end = Number.MAX_SAFE_INTEGER,
): AsyncGenerator<[position: number, body: Bytes]> {
  const sql = "SELECT position, body FROM transfer WHERE position >= ? AND position < ? ORDER BY position LIMIT ?";
  for (let from = first; ; ) {
    const rows = await connection.all<[number, Bytes]>(sql, from, end, TRANSFERS_AT_ONCE);
    yield* rows;
    if (rows.length < TRANSFERS_AT_ONCE) return;
    from = rows.at(-1)![0] + 1;
  }
}

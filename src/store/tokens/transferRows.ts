import type { Bytes } from "../../chain/bytes.ts";
import type { Engine } from "../engine/engine.ts";

const TRANSFERS_AT_ONCE = 1000;

/** The rows of the transfers from a position on, some at a time. */
export async function* storedTransfers(engine: Engine, first: number): AsyncGenerator<[position: number, body: Bytes]> {
  const sql = "SELECT position, body FROM transfer WHERE position >= ? ORDER BY position LIMIT ?";
  for (let from = first; ; ) {
    const rows = (await engine.all(sql, from, TRANSFERS_AT_ONCE)) as [number, Bytes][];
    yield* rows;
    if (rows.length < TRANSFERS_AT_ONCE) return;
    from = rows.at(-1)![0] + 1;
  }
}

import type { Bytes } from "../../../chain/encoding/bytes.ts";
import type { Row, Writer } from "../../engine/database.ts";
import { keysetPages } from "../../engine/keysetPages.ts";
import { firstPosition } from "../../rows/position.ts";
import { readCall } from "./traceBody.ts";
import type { TraceTables } from "./traceTables.ts";
import type { TraceTip } from "./traceTip.ts";

const CHUNK = 1000;

/** Runs inside the caller's transaction, before the core's unwind. */
export async function unwindTracesTo(writer: Writer, tables: TraceTables, tip: TraceTip): Promise<void> {
  const cut = firstPosition(tip.number + 1);
  const owners = new Set<number>();
  const creations: Row[] = [];
  const sql = "SELECT position, body FROM trace_call WHERE position >= ? ORDER BY position LIMIT ?";
  const pages = keysetPages<[number, Bytes]>(CHUNK, (last, count) =>
    writer.all(sql, last === undefined ? cut : last[0] + 1, count),
  );
  for await (const rows of pages) {
    for (const [position, body] of rows) {
      const { from, to } = readCall(body);
      owners.add(from);
      if (to === 0) continue;
      owners.add(to);
      creations.push([to, position]);
    }
  }
  await tables.calls.cut(writer, [...owners], cut);
  await writer.remove("trace_creation", ["address", "position"], creations);
  await writer.run("DELETE FROM trace_call WHERE position >= ?", cut);
  await writer.run("DELETE FROM trace_block WHERE number > ?", tip.number);
  await tables.addresses.cut(writer, tip.addresses);
  tables.clear();
}

import type { Database, Row } from "../engine/database.ts";
import { storedBlocks } from "../read/blocks.ts";

/** Derives the table from the blocks that are there. */
export async function fillBlockTimes(database: Database): Promise<void> {
  let latest = 0;
  for await (const blocks of storedBlocks(database)) {
    const rows: Row[] = [];
    for (const { header } of blocks) {
      latest = Math.max(latest, header.timestamp);
      if (header.timestamp < latest) rows.push([header.number, latest]);
    }
    await database.insert("block_time", ["number", "latest"], rows);
  }
}

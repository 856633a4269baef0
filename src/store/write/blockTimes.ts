import type { Engine, Row } from "../engine/engine.ts";
import { storedBlocks } from "../read/blocks.ts";

/** Derives the table from the blocks that are there. */
export async function fillBlockTimes(engine: Engine): Promise<void> {
  let latest = 0;
  for await (const blocks of storedBlocks(engine)) {
    const rows: Row[] = [];
    for (const { header } of blocks) {
      latest = Math.max(latest, header.timestamp);
      if (header.timestamp < latest) rows.push([header.number, latest]);
    }
    await engine.insert("block_time", ["number", "latest"], rows);
  }
}

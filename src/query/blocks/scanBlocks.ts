import { ChainError } from "../../chain/error.ts";
import { BATCH_SIZE, MAX_SEARCHED } from "../blockWindow.ts";
import type { ReadParts } from "../readInParts.ts";
import type { SummedBlock } from "./block.ts";

interface BlockScan {
  readonly first: number;
  /** Included. */
  readonly last: number;
  readonly order: "asc" | "desc";
}

/** Reads blocks one after the other, until `visit` returns true. */
export async function scanBlocks(
  parts: ReadParts,
  { first, last, order }: BlockScan,
  visit: (block: SummedBlock) => boolean,
  maxSearched = MAX_SEARCHED,
): Promise<void> {
  for (let passed = 0; first + passed <= last; passed += BATCH_SIZE) {
    if (passed >= maxSearched) {
      throw new ChainError("limit_exceeded", `over ${maxSearched} blocks would have to be searched; ask for fewer`);
    }
    const count = Math.min(BATCH_SIZE, last - first - passed + 1);
    const start = order === "asc" ? first + passed : last - passed - count + 1;
    const blocks = await parts.read((session) => session.blocks.range(start, count));
    if ((order === "asc" ? blocks : blocks.reverse()).some(visit)) return;
  }
}

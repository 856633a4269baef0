import type { Bytes } from "../chain/encoding/bytes.ts";
import { decodeHeaderRlp } from "../node/block/stored.ts";
import type { Chain } from "../node/chain.ts";
import { defined } from "../std/defined.ts";

const WORDS = "oriel demo ";

/** What a block of the past has as extra data: which one it is. So the chain itself knows how far the past is. */
export function mark(step: number): Bytes {
  return Buffer.from(`${WORDS}${step}`);
}

export function readMark(extraData: Bytes): number | undefined {
  const found = new RegExp(`^${WORDS}(\\d{1,9})$`).exec(Buffer.from(extraData).toString("latin1"));
  return found === null ? undefined : Number(found[1]);
}

/** How many blocks of the past a chain has; others may have made blocks between. */
export function stepsDone(chain: Chain): number {
  for (let number = chain.head.header.number; number > 0; number--) {
    const block = defined(chain.database.block(number));
    const step = readMark(decodeHeaderRlp(block.header).extraData);
    if (step !== undefined) return step + 1;
  }
  return 0;
}

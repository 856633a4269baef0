import type { Bytes } from "../chain/encoding/bytes.ts";
import { decodeHeaderRlp } from "../node/block/stored.ts";
import type { Chain } from "../node/chain.ts";
import { defined } from "../std/values.ts";

const WORDS = "oriel demo ";

/** Extra data of historical blocks: their step, so that the chain itself records the progress. */
export function mark(step: number): Bytes {
  return Buffer.from(`${WORDS}${step}`);
}

export function readMark(extraData: Bytes): number | undefined {
  const found = new RegExp(`^${WORDS}(\\d{1,9})$`).exec(Buffer.from(extraData).toString("latin1"));
  return found === null ? undefined : Number(found[1]);
}

export function stepsDone(chain: Chain): number {
  for (let number = chain.head.header.number; number > 0; number--) {
    const block = defined(chain.database.block(number));
    const step = readMark(decodeHeaderRlp(block.header).extraData);
    if (step !== undefined) return step + 1;
  }
  return 0;
}

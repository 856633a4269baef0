import type { Bytes } from "../chain/bytes.ts";
import { equalBytes } from "../chain/bytes.ts";
import { ChainError } from "../chain/error.ts";
import type { Source } from "../chain/source.ts";
import type { Store } from "../store/store.ts";

const STEP = 32;

/**
 * The newest block that the source's chain and the index share, looked for downward from the tip. Beyond what the
 * store can unwind it gives up.
 */
export async function findAncestor(store: Store, source: Source, tip: number): Promise<number> {
  const oldest = Math.max((await store.oldestUnwindable()) - 1, (await store.blocks.first())!.header.number);
  for (let top = tip; top >= oldest; top -= STEP) {
    const bottom = Math.max(oldest, top - STEP + 1);
    const numbers = Array.from({ length: top - bottom + 1 }, (_, i) => top - i);
    const theirs = await source.hashes(numbers);
    const ours = await store.blocks.headers(numbers);
    const at = numbers.findIndex((number, i) => same(theirs[i], ours.get(number)?.header.hash));
    if (at >= 0) return numbers[at]!;
  }
  throw new ChainError(
    "deep_reorg",
    `the chain of ${source.name} left the indexed one below block ${oldest}; check the node, or delete the data directory`,
  );
}

function same(a: Bytes | undefined, b: Bytes | undefined): boolean {
  return a !== undefined && b !== undefined && equalBytes(a, b);
}

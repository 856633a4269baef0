import type { Bytes } from "../chain/encoding/bytes.ts";
import { equalBytes } from "../chain/encoding/bytes.ts";
import { ChainError } from "../chain/error.ts";
import type { Source } from "../chain/source.ts";
import type { Store } from "../store/store.ts";

/** Hashes asked for at once. */
const AT_ONCE = 32;

/**
 * The newest block that the source's chain and the index share: first looked for among the newest blocks from `tip` down,
 * then at heights spread over what is left, closer each time. Beyond what the store can unwind it gives up.
 */
export async function findAncestor(store: Store, source: Source, tip: number): Promise<number> {
  const oldest = Math.max(
    (await store.latest.oldestUnwindable()) - 1,
    (await store.latest.blocks.first())?.header.number ?? 0,
  );
  let [shared, differs, gap] = [oldest - 1, tip + 1, 1];
  while (differs - shared > 1) {
    const numbers: number[] = [];
    for (let number = differs - 1; number > shared && numbers.length < AT_ONCE; number -= gap) numbers.push(number);
    const theirs = await source.hashes(numbers);
    const ours = await store.latest.blocks.headers(numbers);
    const at = numbers.findIndex((number, i) => same(theirs[i], ours.get(number)?.header.hash));
    shared = numbers[at] ?? shared;
    differs = (at < 0 ? numbers.at(-1) : numbers[at - 1]) ?? differs;
    gap = Math.ceil((differs - shared - 1) / AT_ONCE);
  }
  if (shared >= oldest) return shared;
  throw new ChainError(
    "deep_reorg",
    `the chain of ${source.name} left the indexed one below block ${oldest}; check the node. To follow it, start with --dev ` +
      "if it is a development chain, or delete the data directory",
  );
}

function same(a: Bytes | undefined, b: Bytes | undefined): boolean {
  return a !== undefined && b !== undefined && equalBytes(a, b);
}

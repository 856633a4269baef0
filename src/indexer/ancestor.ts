import type { Bytes } from "../chain/encoding/bytes.ts";
import { equalBytes } from "../chain/encoding/bytes.ts";
import { ChainError } from "../chain/error.ts";
import type { Source } from "../chain/source.ts";
import { findHighest } from "../std/numbers.ts";
import type { StoreReader } from "../store/storeReader.ts";

/** The fork point is deeper than the journal. */
export class ForkError extends ChainError {
  /** Newest common block, or the one below the first indexed block. */
  readonly fork: number;

  constructor(code: "deep_reorg" | "chain_reset", message: string, fork: number) {
    super(code, message);
    this.fork = fork;
  }
}

/**
 * Newest common block of source and index, searched down from `tip`. Throws ForkError beyond what the store can unwind.
 */
export async function findAncestor(store: StoreReader, source: Source, tip: number): Promise<number> {
  const first = (await store.latest.blocks.first())?.header.number ?? 0;
  const oldest = Math.max((await store.latest.oldestUnwindable()) - 1, first);
  const areShared = async (numbers: readonly number[]) => {
    const theirs = await source.hashes(numbers);
    const ours = await store.latest.blocks.headers(numbers);
    return numbers.map((number, at) => same(theirs[at], ours.get(number)?.header.hash));
  };
  const shared = await findHighest(oldest - 1, tip + 1, areShared);
  if (shared >= oldest) return shared;
  throw new ForkError(
    "deep_reorg",
    `the chain of ${source.name} left the indexed one below block ${oldest}; check the node. To follow it, start with --dev ` +
      "if it is a development chain, or delete the data directory",
    await findHighest(first - 1, oldest, areShared),
  );
}

function same(a: Bytes | undefined, b: Bytes | undefined): boolean {
  return a !== undefined && b !== undefined && equalBytes(a, b);
}

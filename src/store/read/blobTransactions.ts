import type { Header } from "../../chain/block/header.ts";
import type { Bytes, Hash } from "../../chain/encoding/bytes.ts";
import type { StoredBlock } from "./blocks.ts";
import type { CoreReads } from "./coreReads.ts";

export interface BlobTransaction {
  readonly header: Header;
  readonly hash: Hash;
  readonly index: number;
  readonly names: readonly Bytes[];
}

const BATCH_SIZE = 200;

export async function readBlobTransactions(
  session: CoreReads,
  { header, sums }: StoredBlock,
): Promise<BlobTransaction[]> {
  if (sums.blobTransactions === 0) return [];
  const found: BlobTransaction[] = [];
  for (let from = 0; from < sums.transactions; from += BATCH_SIZE) {
    for (const { transaction, index } of await session.transactions.inBlock(header.number, from, from + BATCH_SIZE)) {
      const { hash, blobVersionedHashes: names } = transaction;
      if (names !== undefined) found.push({ header, hash, index, names });
    }
  }
  return found;
}

import type { Bytes } from "../../chain/encoding/bytes.ts";
import { blockOf, firstPosition } from "../../store/rows/position.ts";
import type { QueryContext } from "../context.ts";

interface BlockBlob {
  readonly versionedHash: Bytes;
  readonly transaction: Bytes;
}

/** Blob transactions that are looked at: more do not fit into a block of any known chain. */
const MAX_TRANSACTIONS = 256;

/** In the order of the block. */
export function listBlockBlobs({ store }: QueryContext, number: number): Promise<readonly BlockBlob[]> {
  return store.read(async ({ transactions }) => {
    const newest = await transactions.namingBlobs(firstPosition(number + 1), MAX_TRANSACTIONS);
    const found = await transactions.at(newest.filter((position) => blockOf(position) === number).reverse());
    const full = await Promise.all(found.map((mined) => transactions.full(mined)));
    return full.flatMap(({ transaction }) =>
      (transaction.blobVersionedHashes ?? []).map((versionedHash) => ({
        versionedHash,
        transaction: transaction.hash,
      })),
    );
  });
}

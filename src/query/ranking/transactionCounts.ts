import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { StoreReader } from "../../store/storeReader.ts";

const BATCH_SIZE = 500;

/** In batches, yielding to other reads. */
export async function countTransactions(store: StoreReader, addresses: readonly Bytes[]): Promise<bigint[]> {
  const counts: bigint[] = [];
  for (let at = 0; at < addresses.length; at += BATCH_SIZE) {
    const part = addresses.slice(at, at + BATCH_SIZE);
    counts.push(...(await store.read((session) => session.addresses.transactionCounts(part))).map(BigInt));
  }
  return counts;
}

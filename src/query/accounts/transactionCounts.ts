import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { StoreReader } from "../../store/storeReader.ts";

const AT_ONCE = 500;

/** How many transactions each of many addresses has, in parts, so that other reads have their turn. */
export async function countTransactions(store: StoreReader, addresses: readonly Bytes[]): Promise<bigint[]> {
  const counts: bigint[] = [];
  for (let at = 0; at < addresses.length; at += AT_ONCE) {
    const part = addresses.slice(at, at + AT_ONCE);
    counts.push(...(await store.read((session) => session.addresses.transactionCounts(part))).map(BigInt));
  }
  return counts;
}

import type { Bytes } from "../../chain/encoding/bytes.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import { ChainError } from "../../chain/error.ts";
import type { QueryContext } from "../context.ts";
import { readIndexedRange } from "../indexedRange.ts";

/** What addresses have of the chain's coin after the newest indexed block, in wei. */
export async function readNativeBalances(
  { store, node }: QueryContext,
  addresses: readonly Bytes[],
): Promise<bigint[]> {
  const range = await store.read(readIndexedRange);
  const balances = range && (await node?.state.balances(addresses, range.tip));
  return addresses.map((address) => {
    const balance = balances?.get(toHex(address));
    if (balance === undefined) throw new ChainError("upstream_unavailable", "the node does not say the balance");
    return balance;
  });
}

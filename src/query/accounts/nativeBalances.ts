import type { Bytes } from "../../chain/encoding/bytes.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import { uintToBigInt } from "../../chain/encoding/uint.ts";
import { WireReader } from "../../chain/encoding/wire.ts";
import { ChainError } from "../../chain/error.ts";
import type { BlockRef } from "../blocks/namedBlock.ts";
import type { QueryContext } from "../context.ts";
import { readIndexedRange } from "../indexedRange.ts";
import { undefinedIfRejected } from "../node/readThrough.ts";

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

/** Undefined if the node lacks the state. */
export async function readNativeBalancesAt(
  { node }: QueryContext,
  addresses: readonly Bytes[],
  block: BlockRef,
): Promise<bigint[] | undefined> {
  if (node === undefined) throw new ChainError("unsupported", "there is no node to ask for balances");
  const questions = addresses.map((address) => ({ method: "eth_getBalance", params: [toHex(address)] }) as const);
  const answers = await node.readThrough.state(questions, block).catch(undefinedIfRejected);
  return answers?.map((answer) => uintToBigInt(new WireReader().uint(answer, "balance")));
}

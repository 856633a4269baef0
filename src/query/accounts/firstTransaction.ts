import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { QueryContext } from "../context.ts";

export interface FirstTransaction {
  readonly hash: Bytes;
  readonly from: Bytes;
  readonly timestamp: number;
}

/** The oldest indexed transaction of an address; undefined if there is none. */
export function readFirstTransaction({ store }: QueryContext, address: Bytes): Promise<FirstTransaction | undefined> {
  return store.read(async ({ addresses, transactions }) => {
    const list = await addresses.transactionsOf(address);
    const [first] = await transactions.at(await list.slice(0, 1));
    return first && { ...first.transaction, timestamp: first.block.header.timestamp };
  });
}

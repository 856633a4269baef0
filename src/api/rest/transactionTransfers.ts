import type { AccountKinds } from "../../store/accountKinds.ts";
import type { Store } from "../../store/store.ts";
import type { KnownToken } from "../../store/tokens/tokenReads.ts";
import type { MinedTransfer } from "../../store/tokens/transferReads.ts";
import type { MinedTransaction } from "../../store/transactions.ts";
import { presentTransfer } from "./presentTransfer.ts";
import { addressesOf } from "./tokenTransfers.ts";

/** Transfers that the record of a transaction shows. */
export const MOST_TRANSFERS = 10;

export interface FirstTransfers {
  readonly transfers: readonly MinedTransfer[];
  readonly hasMore: boolean;
  readonly tokens: ReadonlyMap<number, KnownToken>;
  readonly kinds: AccountKinds;
}

/** Undefined where the tokens stage has not come to the transaction's block. */
export async function readTransfers(store: Store, mined: MinedTransaction): Promise<FirstTransfers | undefined> {
  const { number } = mined.block.header;
  const reached = await store.tokens.tip();
  if (reached === undefined || reached < number) return undefined;
  const positions = await store.tokens.transfers.inTransaction(number, mined.index, MOST_TRANSFERS + 1);
  const transfers = await store.tokens.transfers.at(positions.slice(0, MOST_TRANSFERS));
  return {
    transfers,
    hasMore: positions.length > MOST_TRANSFERS,
    tokens: await store.tokens.byId(transfers.map(({ token }) => token)),
    kinds: await store.addresses.kinds(transfers.flatMap(addressesOf)),
  };
}

export function presentTransfers(first: FirstTransfers | undefined) {
  if (first === undefined) return {};
  const { transfers, tokens, kinds, hasMore } = first;
  return {
    token_transfers: transfers.map((transfer) => presentTransfer(transfer, tokens.get(transfer.token)!, kinds)),
    token_transfers_overflow: hasMore,
  };
}

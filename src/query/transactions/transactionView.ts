import type { Header } from "../../chain/block/header.ts";
import type { Transaction } from "../../chain/block/transaction.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { MinedTransaction } from "../../store/read/transactions.ts";
import type { ListedReceipt, ListedTransaction } from "../../store/rows/transactionBody.ts";
import type { KnownHeight } from "../indexedRange.ts";
import { confirmationsAtNode, confirmationsOf } from "../indexedRange.ts";
import type { SourceTransaction } from "../node/readThrough.ts";

/** Inclusion and receipt of a transaction. */
export interface TransactionOutcome {
  readonly receipt: ListedReceipt;
  readonly index: number;
  readonly header: Header;
  readonly confirmations: number;
}

/** From the index or the node; without an outcome if pending. */
export interface TransactionView<T extends ListedTransaction = ListedTransaction> {
  readonly transaction: T;
  readonly outcome: TransactionOutcome | undefined;
}

/** With all fields, however long. */
export type WholeTransactionView = TransactionView<Transaction>;

export function viewMined<T extends ListedTransaction>(
  { transaction, receipt, index, block }: Omit<MinedTransaction, "transaction"> & { readonly transaction: T },
  height: KnownHeight,
): TransactionView<T> {
  const { header } = block;
  return { transaction, outcome: { receipt, index, header, confirmations: confirmationsOf(height, header.number) } };
}

/** The index is the position of the hash: the source names only the block. */
export function viewFromSource({ transaction, block }: SourceTransaction, height: KnownHeight): WholeTransactionView {
  const index = block?.transactions.findIndex((tx) => Buffer.compare(tx.hash, transaction.hash) === 0) ?? -1;
  const [mined, receipt] = [block?.transactions[index], block?.receipts[index]];
  if (block === undefined || mined === undefined || receipt === undefined) return { transaction, outcome: undefined };
  const confirmations = confirmationsAtNode(height, block.header.number);
  return { transaction: mined, outcome: { receipt, index, header: block.header, confirmations } };
}

export function addressesOf({ transaction, outcome }: TransactionView): Bytes[] {
  const addresses = [transaction.from, transaction.to, outcome?.receipt.contractAddress];
  return addresses.filter((address) => address !== null && address !== undefined);
}

import type { Block } from "../../chain/block/block.ts";
import type { BlockSums } from "../../chain/block/fees.ts";
import { sumBlock } from "../../chain/block/fees.ts";
import type { Header } from "../../chain/block/header.ts";
import type { Transaction } from "../../chain/block/transaction.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { AccountKinds } from "../../store/accountKinds.ts";
import type { ListedReceipt, ListedTransaction } from "../../store/transactionBody.ts";
import type { MinedTransaction, WholeTransaction } from "../../store/transactions.ts";
import type { SourceTransaction } from "../node/readThrough.ts";

/** A block as presenters see it, whether it comes from the index or from the node. */
export interface BlockView {
  readonly header: Header;
  readonly sums: BlockSums;
}

/** A transaction as presenters see it; one that waits has no outcome. */
export interface TransactionView {
  readonly transaction: ListedTransaction;
  readonly outcome?: {
    readonly receipt: ListedReceipt;
    readonly index: number;
    readonly header: Header;
  };
}

/** The same with all fields, however long they are. */
export interface WholeTransactionView extends TransactionView {
  readonly transaction: Transaction;
}

/** What an answer says beside the record itself. */
export interface Surroundings {
  /** The highest block known, from which confirmations count. */
  readonly height: number;
  readonly kinds: AccountKinds;
  /** The places of transactions that moved tokens; undefined where the tokens stage is not as far. */
  readonly transferring?: ReadonlySet<number> | undefined;
}

export function viewBlock(block: Block): BlockView {
  return { header: block.header, sums: sumBlock(block) };
}

export function viewMined({ transaction, receipt, index, block }: MinedTransaction): TransactionView {
  return { transaction, outcome: { receipt, index, header: block.header } };
}

export function viewWhole(mined: WholeTransaction): WholeTransactionView {
  return { ...viewMined(mined), transaction: mined.transaction };
}

/** The place of a transaction in its block is where its hash stands: the source names only the block. */
export function viewFromSource({ transaction, block }: SourceTransaction): WholeTransactionView {
  if (block === undefined) return { transaction };
  const index = block.transactions.findIndex((tx) => Buffer.compare(tx.hash, transaction.hash) === 0);
  const receipt = block.receipts[index];
  if (receipt === undefined) return { transaction };
  return { transaction: block.transactions[index]!, outcome: { receipt, index, header: block.header } };
}

/** The addresses a transaction's record names. */
export function addressesOf({ transaction, outcome }: TransactionView): Bytes[] {
  const addresses = [transaction.from, transaction.to, outcome?.receipt.contractAddress];
  return addresses.filter((address) => address !== null && address !== undefined);
}

import type { Bytes } from "./bytes.ts";
import type { Header } from "./header.ts";
import { decodeHeader } from "./header.ts";
import { keccak256 } from "./keccak.ts";
import type { Receipt } from "./receipt.ts";
import { decodeReceipt, writeReceipt } from "./receipt.ts";
import { RlpWriter } from "./rlp.ts";
import type { Inclusion, Transaction } from "./transaction.ts";
import { decodeTransaction, writeTransaction } from "./transaction.ts";
import { orderedTrieRoot } from "./trie.ts";
import { invalid, readArray, readObject, WireReader } from "./wire.ts";

/** A block with all that happened in it: `receipts[i]` is the outcome of `transactions[i]`. */
export interface Block {
  readonly header: Header;
  readonly transactions: readonly Transaction[];
  readonly receipts: readonly Receipt[];
}

/**
 * Decodes a block with full transactions and its receipts from a node's JSON. Every copy of a value that another
 * field determines (block hash, indexes, transaction hashes) must agree, or the answer is refused.
 */
export function decodeBlock(wireBlock: unknown, wireReceipts: unknown): Block {
  const reader = new WireReader();
  const wire = readObject(wireBlock, "block");
  const header = decodeHeader(wire, reader);
  const wires = readArray(wire.transactions, "block.transactions").map((tx) => readObject(tx, "transaction"));
  const receipts = readArray(wireReceipts, "receipts");
  if (receipts.length !== wires.length) {
    throw invalid("receipts", receipts.length, `${wires.length}, one for each transaction`);
  }
  const place = (index: number): Inclusion => ({
    blockHash: wire.hash,
    blockNumber: wire.number,
    timestamp: wire.timestamp,
    index,
  });
  return {
    header,
    transactions: wires.map((tx, index) => decodeTransaction(tx, reader, place(index))),
    receipts: receipts.map((receipt, index) =>
      decodeReceipt(readObject(receipt, "receipt"), reader, wires[index]!.hash, place(index)),
    ),
  };
}

export function transactionsRoot(transactions: readonly Transaction[]): Bytes {
  return orderedTrieRoot(transactions.length, (index, writer) => writeTransaction(transactions[index]!, writer));
}

export function receiptsRoot(transactions: readonly Transaction[], receipts: readonly Receipt[]): Bytes {
  return orderedTrieRoot(receipts.length, (index, writer) =>
    writeReceipt(receipts[index]!, transactions[index]!.type, writer),
  );
}

const scratch = new RlpWriter();

export function transactionHash(tx: Transaction): Bytes {
  scratch.reset();
  writeTransaction(tx, scratch);
  return keccak256(scratch.written);
}

/** The address a creating transaction deploys to: the keccak of its sender and nonce. */
export function createdAddress(tx: Transaction): Bytes {
  scratch.reset();
  scratch.uint(tx.nonce);
  scratch.string(tx.from);
  scratch.closeList(0);
  return keccak256(scratch.written).subarray(12);
}

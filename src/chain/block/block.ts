import { itemAt } from "../../std/values.ts";
import type { AddressBytes, Hash } from "../encoding/bytes.ts";
import { RlpWriter } from "../encoding/rlp.ts";
import type { Wire } from "../encoding/wire.ts";
import { invalid, readArray, readObject, WireReader } from "../encoding/wire.ts";
import { keccak256 } from "../hashing/keccak.ts";
import { orderedTrieRoot } from "../hashing/trie.ts";
import type { Header } from "./header.ts";
import { decodeHeader } from "./header.ts";
import type { Receipt } from "./receipt.ts";
import { decodeReceipt, writeReceipt } from "./receipt.ts";
import type { ShownSidecar } from "./sidecar.ts";
import { decodeShownSidecar } from "./sidecar.ts";
import type { Inclusion, Transaction } from "./transaction.ts";
import { decodeTransaction, writeTransaction } from "./transaction.ts";

/** `receipts[i]` belongs to `transactions[i]`. */
export interface Block {
  readonly header: Header;
  readonly transactions: readonly Transaction[];
  readonly receipts: readonly Receipt[];
  readonly mismatch?: string;
  readonly omission?: string;
  /** Blobs that the node includes in transactions. The block hash does not cover them. */
  readonly sidecars?: readonly ShownSidecar[];
}

/**
 * Decodes a block and its receipts from a node's JSON. Rejects contradicting hashes, which mean data of two blocks.
 * Redundant copies of other values are ignored.
 */
export function decodeBlock(wireBlock: unknown, wireReceipts: unknown): Block {
  const decoder = new BlockDecoder(wireBlock);
  return decoder.block(readArray(wireReceipts, "receipts").map((receipt, index) => decoder.receipt(receipt, index)));
}

/** Decodes a block with receipts that arrive one at a time, so that each JSON can be released. */
export class BlockDecoder {
  readonly #reader = new WireReader();
  readonly #wire: Wire;
  readonly #transactions: readonly Wire[];
  readonly #mismatches: string[] = [];
  /** Decoded first: unknown header fields have priority within the size limit. */
  readonly #header: Header;

  constructor(wireBlock: unknown) {
    this.#wire = readObject(wireBlock, "block");
    this.#transactions = readArray(this.#wire.transactions, "block.transactions").map((tx) =>
      readObject(tx, "transaction"),
    );
    this.#header = decodeHeader(this.#wire, this.#reader, this.#mismatches);
  }

  get transactionHashes(): readonly unknown[] {
    return this.#transactions.map(({ hash }) => hash);
  }

  receipt(wire: unknown, index: number): Receipt {
    const hash = this.#transactions[index]?.hash;
    return decodeReceipt(readObject(wire, "receipt"), this.#reader, hash, this.#place(index));
  }

  block(receipts: readonly Receipt[]): Block {
    const expected = this.#transactions.length;
    if (receipts.length !== expected) {
      throw invalid("receipts", receipts.length, `${expected}, one for each transaction`);
    }
    const transactions = this.#transactions.map((tx, index) => decodeTransaction(tx, this.#reader, this.#place(index)));
    const sidecars = this.#sidecars(transactions);
    const [mismatch] = this.#mismatches;
    const { omission } = this.#reader.extras;
    return {
      header: this.#header,
      transactions,
      receipts,
      ...(mismatch !== undefined && { mismatch }),
      ...(omission !== undefined && { omission }),
      ...(sidecars.length > 0 && { sidecars }),
    };
  }

  #sidecars(transactions: readonly Transaction[]): readonly ShownSidecar[] {
    const shown: ShownSidecar[] = [];
    for (const [index, { blobVersionedHashes: names }] of transactions.entries()) {
      const sidecar = names && decodeShownSidecar(itemAt(this.#transactions, index), names, this.#reader);
      if (sidecar !== undefined) shown.push(sidecar);
    }
    return shown;
  }

  #place(index: number): Inclusion {
    const { hash, number, timestamp } = this.#wire;
    return { blockHash: hash, blockNumber: number, timestamp, index, mismatches: this.#mismatches };
  }
}

export function transactionsRoot(transactions: readonly Transaction[]): Hash {
  return orderedTrieRoot(transactions, writeTransaction);
}

export function receiptsRoot(transactions: readonly Transaction[], receipts: readonly Receipt[]): Hash {
  return orderedTrieRoot(receipts, (receipt, writer, index) =>
    writeReceipt(receipt, itemAt(transactions, index).type, writer),
  );
}

const scratch = new RlpWriter();

export function transactionHash(tx: Transaction): Hash {
  scratch.reset();
  writeTransaction(tx, scratch);
  return keccak256(scratch.written);
}

/** CREATE address: keccak of sender and nonce. */
export function createdAddress(tx: Pick<Transaction, "from" | "nonce">): AddressBytes {
  scratch.reset();
  scratch.uint(tx.nonce);
  scratch.string(tx.from);
  scratch.closeList(0);
  return keccak256(scratch.written).subarray(12);
}

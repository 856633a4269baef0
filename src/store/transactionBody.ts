import type { Bytes } from "../chain/bytes.ts";
import { EMPTY, equalBytes } from "../chain/bytes.ts";
import type { Log, Receipt } from "../chain/receipt.ts";
import type { AccessListEntry, Authorization, Transaction } from "../chain/transaction.ts";
import type { Uint } from "../chain/uint.ts";
import type { Draft, Extra } from "../chain/wire.ts";
import type { AddressBook } from "./addressBook.ts";
import type { BodyIds } from "./dictionary.ts";
import { ByteReader, type ByteWriter, corrupt } from "./encoding.ts";
import { readLogs, readSomeLogs, writeLogs } from "./logBody.ts";
import { slotOf } from "./position.ts";
import { readData, writeData } from "./words.ts";

/** A transaction, its receipt and its logs as one row. What other fields determine (bloom, copies) is left out. */
export interface StoredTransaction {
  readonly position: number;
  /** Its place in the block. */
  readonly index: number;
  readonly transaction: Transaction;
  readonly receipt: Omit<Receipt, "logsBloom">;
}

/** The same without its logs, of which there may be thousands. */
export interface TransactionOutline extends Omit<StoredTransaction, "receipt"> {
  readonly receipt: Omit<StoredTransaction["receipt"], "logs">;
}

const HAS = {
  to: 1,
  success: 2,
  root: 4,
  contract: 8,
  gasPrice: 16,
  maxFee: 64,
  maxPriorityFee: 32,
  chainId: 128,
  accessList: 256,
  blobs: 512,
  authorizations: 1024,
  effectiveGasPrice: 2048,
  effectiveIsGasPrice: 4096,
  blobGasUsed: 8192,
  blobGasPrice: 16384,
  extra: 32768,
  receiptExtra: 65536,
} as const;

/** The first bytes of a row say where its logs begin, so that readers of one part skip the other. */
const LOGS_AT_SIZE = 4;

export function writeBody(tx: Transaction, receipt: Receipt, index: number, ids: BodyIds, writer: ByteWriter): void {
  const start = writer.length;
  for (let i = 0; i < LOGS_AT_SIZE; i++) writer.byte(0);
  const flags = flagsOf(tx, receipt);
  writer.varint(tx.type);
  writer.varint(flags);
  writer.varint(index);
  writer.raw(tx.hash);
  writer.varint(ids.parties.next());
  if (tx.to !== null) writer.varint(ids.parties.next());
  writer.string(tx.nonce);
  writer.string(tx.gas);
  writer.string(tx.value);
  writer.string(tx.v);
  writer.string(tx.r);
  writer.string(tx.s);
  writeData(tx.input, writer);
  writeOptional(tx, receipt, flags, writer);
  writer.varint(receipt.gasUsed);
  writer.varint(receipt.cumulativeGasUsed);
  if (receipt.root !== undefined) writer.raw(receipt.root);
  if (receipt.contractAddress !== null) writer.varint(ids.parties.next());
  writer.patch(start, writer.length - start);
  writeLogs(receipt.logs, ids, writer);
}

function flagsOf(tx: Transaction, receipt: Receipt): number {
  const effective = receipt.effectiveGasPrice;
  const samePrice = effective !== undefined && tx.gasPrice !== undefined && equalBytes(effective, tx.gasPrice);
  let flags = 0;
  if (tx.to !== null) flags |= HAS.to;
  if (receipt.status === 1) flags |= HAS.success;
  if (receipt.root !== undefined) flags |= HAS.root;
  if (receipt.contractAddress !== null) flags |= HAS.contract;
  if (tx.gasPrice !== undefined) flags |= HAS.gasPrice;
  if (tx.maxFeePerGas !== undefined) flags |= HAS.maxFee;
  if (tx.maxPriorityFeePerGas !== undefined) flags |= HAS.maxPriorityFee;
  if (tx.chainId !== undefined) flags |= HAS.chainId;
  if (tx.accessList !== undefined) flags |= HAS.accessList;
  if (tx.blobVersionedHashes !== undefined) flags |= HAS.blobs;
  if (tx.authorizationList !== undefined) flags |= HAS.authorizations;
  if (effective !== undefined) flags |= samePrice ? HAS.effectiveIsGasPrice : HAS.effectiveGasPrice;
  if (receipt.blobGasUsed !== undefined) flags |= HAS.blobGasUsed;
  if (receipt.blobGasPrice !== undefined) flags |= HAS.blobGasPrice;
  if (tx.extra !== undefined) flags |= HAS.extra;
  if (receipt.extra !== undefined) flags |= HAS.receiptExtra;
  return flags;
}

function writeOptional(tx: Transaction, receipt: Receipt, flags: number, writer: ByteWriter): void {
  if (flags & HAS.gasPrice) writer.string(tx.gasPrice!);
  if (flags & HAS.maxFee) writer.string(tx.maxFeePerGas!);
  if (flags & HAS.maxPriorityFee) writer.string(tx.maxPriorityFeePerGas!);
  if (flags & HAS.chainId) writer.string(tx.chainId!);
  if (flags & HAS.accessList) writeAccessList(tx.accessList!, writer);
  if (flags & HAS.blobs) {
    writer.string(tx.maxFeePerBlobGas ?? EMPTY);
    writer.varint(tx.blobVersionedHashes!.length);
    for (const hash of tx.blobVersionedHashes!) writer.raw(hash);
  }
  if (flags & HAS.authorizations) writeAuthorizations(tx.authorizationList!, writer);
  if (flags & HAS.effectiveGasPrice) writer.string(receipt.effectiveGasPrice!);
  if (flags & HAS.blobGasUsed) writer.varint(receipt.blobGasUsed!);
  if (flags & HAS.blobGasPrice) writer.string(receipt.blobGasPrice!);
  if (flags & HAS.extra) writer.json(tx.extra!);
  if (flags & HAS.receiptExtra) writer.json(receipt.extra!);
}

function writeAccessList(entries: readonly AccessListEntry[], writer: ByteWriter): void {
  writer.varint(entries.length);
  for (const { address, storageKeys } of entries) {
    writer.raw(address);
    writer.varint(storageKeys.length);
    for (const key of storageKeys) writer.word(key, 0);
  }
}

function writeAuthorizations(entries: readonly Authorization[], writer: ByteWriter): void {
  writer.varint(entries.length);
  for (const { chainId, address, nonce, yParity, r, s } of entries) {
    writer.raw(address);
    for (const value of [chainId, nonce, yParity, r, s]) writer.string(value);
  }
}

/** Decodes a row by its position. Addresses are filled in when the book is loaded. */
export function readBody(position: number, body: Bytes, book: AddressBook): StoredTransaction {
  const { index, transaction, receipt } = readOutline(position, body, book);
  const logs = readLogs(logReader(body), slotOf(position) - index, book);
  return { position, index, transaction, receipt: { ...receipt, logs } };
}

export function countLogs(body: Bytes): number {
  return logReader(body).varint();
}

/** Some of the logs of a row, by their places in it; the others are passed over. */
export function pickLogs(
  position: number,
  body: Bytes,
  places: ReadonlySet<number>,
  book: AddressBook,
): Map<number, Log> {
  const reader = new ByteReader(body, LOGS_AT_SIZE);
  reader.varint();
  reader.varint();
  const index = reader.varint();
  return readSomeLogs(logReader(body), slotOf(position) - index, places, book);
}

function logReader(body: Bytes): ByteReader {
  if (!(body instanceof Uint8Array) || body.length < LOGS_AT_SIZE) throw corrupt("a stored transaction is too short");
  return new ByteReader(body, new DataView(body.buffer, body.byteOffset, body.length).getUint32(0));
}

export function readOutline(position: number, body: Bytes, book: AddressBook): TransactionOutline {
  const reader = new ByteReader(body, LOGS_AT_SIZE);
  const type = reader.varint();
  const flags = reader.varint();
  const index = reader.varint();
  const tx: Draft<Transaction> = {
    type,
    hash: reader.raw(32),
    from: book.address(reader.varint()),
    to: flags & HAS.to ? book.address(reader.varint()) : null,
    nonce: reader.string(),
    gas: reader.string(),
    value: reader.string(),
    v: reader.string(),
    r: reader.string(),
    s: reader.string(),
    input: readData(reader),
  };
  const prices: Prices = {};
  readOptional(flags, reader, tx, prices);
  const receipt: Draft<TransactionOutline["receipt"]> = {
    type,
    from: tx.from,
    to: tx.to,
    gasUsed: reader.varint(),
    cumulativeGasUsed: reader.varint(),
    contractAddress: null,
    ...prices,
  };
  if (flags & HAS.root) receipt.root = reader.raw(32);
  else receipt.status = flags & HAS.success ? 1 : 0;
  if (flags & HAS.contract) receipt.contractAddress = book.address(reader.varint());
  return { position, index, transaction: tx, receipt };
}

type Prices = { effectiveGasPrice?: Uint; blobGasUsed?: number; blobGasPrice?: Uint; extra?: Extra };

function readOptional(flags: number, reader: ByteReader, tx: Draft<Transaction>, prices: Prices): void {
  if (flags & HAS.gasPrice) tx.gasPrice = reader.string();
  if (flags & HAS.maxFee) tx.maxFeePerGas = reader.string();
  if (flags & HAS.maxPriorityFee) tx.maxPriorityFeePerGas = reader.string();
  if (flags & HAS.chainId) tx.chainId = reader.string();
  if (flags & HAS.accessList) tx.accessList = reader.many(() => readAccess(reader));
  if (flags & HAS.blobs) {
    tx.maxFeePerBlobGas = reader.string();
    tx.blobVersionedHashes = reader.many(() => reader.raw(32));
  }
  if (flags & HAS.authorizations) tx.authorizationList = reader.many(() => readAuthorization(reader));
  if (flags & HAS.effectiveGasPrice) prices.effectiveGasPrice = reader.string();
  if (flags & HAS.effectiveIsGasPrice) prices.effectiveGasPrice = tx.gasPrice!;
  if (flags & HAS.blobGasUsed) prices.blobGasUsed = reader.varint();
  if (flags & HAS.blobGasPrice) prices.blobGasPrice = reader.string();
  if (flags & HAS.extra) tx.extra = reader.json() as Extra;
  if (flags & HAS.receiptExtra) prices.extra = reader.json() as Extra;
}

function readAccess(reader: ByteReader): AccessListEntry {
  return {
    address: reader.raw(20),
    storageKeys: reader.many(() => {
      const key = new Uint8Array(32);
      reader.word(key, 0);
      return key;
    }),
  };
}

function readAuthorization(reader: ByteReader): Authorization {
  return {
    address: reader.raw(20),
    chainId: reader.string(),
    nonce: reader.string(),
    yParity: reader.string(),
    r: reader.string(),
    s: reader.string(),
  };
}

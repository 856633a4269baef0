import type { Receipt } from "../../chain/block/receipt.ts";
import type { AccessListEntry, Authorization, Transaction } from "../../chain/block/transaction.ts";
import type { Bytes, Hash } from "../../chain/encoding/bytes.ts";
import { EMPTY } from "../../chain/encoding/bytes.ts";
import type { Extra, ExtraFields } from "../../chain/encoding/extra.ts";
import type { Draft } from "../../chain/encoding/wire.ts";
import type { OverflowParts } from "./bodyParts.ts";
import { HEAD_SIZE, NO_OVERFLOW, PARTS, readLogsAt, readRowHead, SELECTOR_SIZE } from "./bodyParts.ts";
import { ByteReader, type ByteWriter, mustHave } from "./encoding.ts";
import type { BodyIds, IdResolver } from "./ids.ts";
import type { LogOutline } from "./logBody.ts";
import { readLogs, writeLogs } from "./logBody.ts";
import type { Position } from "./position.ts";
import { slotOf } from "./position.ts";
import { flagsOf, HAS } from "./transactionFlags.ts";
import { readAccessList, readAuthorizations, writeAccessList, writeAuthorizations } from "./transactionLists.ts";
import { readData, writeData } from "./words.ts";

/** Without derivable fields (bloom, copies). */
export interface StoredTransaction {
  readonly position: Position;
  readonly index: number;
  readonly transaction: Transaction;
  readonly receipt: Omit<Receipt, "logsBloom">;
}

type LongField = "input" | "accessList" | "blobVersionedHashes" | "authorizationList" | "extra";

/** Null fields are in overflow rows, too long for a list. */
export interface ListedTransaction extends Omit<Transaction, LongField> {
  readonly input: Bytes | null;
  /** Selector of an overflowing input. */
  readonly selector?: Bytes;
  readonly accessList?: readonly AccessListEntry[] | null;
  readonly blobVersionedHashes?: readonly Bytes[] | null;
  readonly authorizationList?: readonly Authorization[] | null;
  readonly extra?: Extra | null;
}

export interface ListedReceipt extends Omit<Receipt, "logsBloom" | "logs" | "extra"> {
  readonly extra?: Extra | null;
}

export interface TransactionOutline {
  readonly position: Position;
  readonly index: number;
  readonly transaction: ListedTransaction;
  readonly receipt: ListedReceipt;
  readonly logs: {
    readonly first: number;
    readonly count: number;
    /** Those that the row holds, if they were asked for. */
    readonly inRow?: readonly LogOutline[];
  };
  /** Whether fields are in overflow rows. */
  readonly isCut: boolean;
}

export interface TransactionLocation {
  readonly index: number;
  /** Set if the position does not determine it. */
  readonly firstLog?: number | undefined;
}

export function writeBody(
  tx: Transaction,
  receipt: Receipt,
  place: TransactionLocation,
  ids: BodyIds,
  writer: ByteWriter,
): void {
  const start = writer.length;
  for (let i = 0; i < HEAD_SIZE; i++) writer.byte(0);
  const flags = flagsOf(tx, receipt) | (place.firstLog === undefined ? 0 : HAS.firstLog);
  writer.varint(tx.type);
  writer.varint(flags);
  writer.varint(place.index);
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
  if (place.firstLog !== undefined) writer.varint(place.firstLog);
  writer.patch(start, writer.length - start);
  writeLogs(receipt.logs, ids, writer);
}

/** Fields present according to `flagsOf`. */
function writeOptional(tx: Transaction, receipt: Receipt, flags: number, writer: ByteWriter): void {
  if (tx.gasPrice !== undefined) writer.string(tx.gasPrice);
  if (tx.maxFeePerGas !== undefined) writer.string(tx.maxFeePerGas);
  if (tx.maxPriorityFeePerGas !== undefined) writer.string(tx.maxPriorityFeePerGas);
  if (tx.chainId !== undefined) writer.string(tx.chainId);
  if (tx.accessList !== undefined) writeAccessList(tx.accessList, writer);
  if (tx.blobVersionedHashes !== undefined) {
    writer.string(tx.maxFeePerBlobGas ?? EMPTY);
    writer.varint(tx.blobVersionedHashes.length);
    for (const hash of tx.blobVersionedHashes) writer.raw(hash);
  }
  if (tx.authorizationList !== undefined) writeAuthorizations(tx.authorizationList, writer);
  const { effectiveGasPrice, blobGasUsed, blobGasPrice } = receipt;
  if (effectiveGasPrice !== undefined && flags & HAS.effectiveGasPrice) writer.string(effectiveGasPrice);
  if (blobGasUsed !== undefined) writer.varint(blobGasUsed);
  if (blobGasPrice !== undefined) writer.string(blobGasPrice);
  if (tx.extra !== undefined) writer.extra(tx);
  if (receipt.extra !== undefined) writer.extra(receipt);
}

/** Addresses are filled when the resolver is loaded. */
export function readBody(position: Position, body: Bytes, resolver: IdResolver): StoredTransaction {
  const { transaction, receipt, index, firstLog } = readFields(position, body, NO_OVERFLOW, resolver);
  const logs = readLogs(new ByteReader(body, readLogsAt(body)), firstLog, resolver);
  return { position, index, transaction: transaction as Transaction, receipt: { ...(receipt as Receipt), logs } };
}

/** All parts but the logs. */
export type UncutTransaction = Pick<StoredTransaction, "transaction"> & {
  readonly receipt: Omit<StoredTransaction["receipt"], "logs">;
};

/** All parts but the logs. */
export function readUncut(position: Position, body: Bytes, resolver: IdResolver): UncutTransaction {
  const { transaction, receipt } = readFields(position, body, NO_OVERFLOW, resolver);
  return { transaction: transaction as Transaction, receipt: receipt as Receipt };
}

/** Logs are read if there is a resolver for them, but not those in overflow rows. */
export function readOutline(
  position: Position,
  row: Bytes,
  resolver: IdResolver,
  ofLogs?: IdResolver,
): TransactionOutline {
  const { logsAt, overflow } = readRowHead(row);
  const { transaction, receipt, index, firstLog } = readFields(position, row, overflow, resolver);
  const counted = { first: firstLog, count: new ByteReader(row, logsAt).varint() };
  const isInRow = ofLogs !== undefined && (overflow & PARTS.logs) === 0;
  const logs = isInRow ? { ...counted, inRow: readLogs(new ByteReader(row, logsAt), firstLog, ofLogs) } : counted;
  return { position, index, transaction, receipt, logs, isCut: (overflow & ~PARTS.logs) !== 0 };
}

export function readIndex(row: Bytes): number {
  const reader = new ByteReader(row, HEAD_SIZE);
  reader.varint();
  reader.varint();
  return reader.varint();
}

export function readHash(row: Bytes): Hash {
  const reader = new ByteReader(row, HEAD_SIZE);
  for (let field = 0; field < 3; field++) reader.varint();
  return reader.raw(32);
}

function readFields(position: Position, body: Bytes, overflow: OverflowParts, resolver: IdResolver) {
  const reader = new ByteReader(body, HEAD_SIZE);
  const type = reader.varint();
  const flags = reader.varint();
  const index = reader.varint();
  const tx: Draft<ListedTransaction> = {
    type,
    hash: reader.raw(32),
    from: resolver.address(reader.varint()),
    to: flags & HAS.to ? resolver.address(reader.varint()) : null,
    nonce: reader.string(),
    gas: reader.string(),
    value: reader.string(),
    v: reader.string(),
    r: reader.string(),
    s: reader.string(),
    input: null,
  };
  if (overflow & PARTS.input) tx.selector = reader.raw(SELECTOR_SIZE);
  else tx.input = readData(reader, resolver.slab);
  const prices: Prices = {};
  readOptional(flags, overflow, reader, tx, prices);
  const receipt: Draft<ListedReceipt> = {
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
  if (flags & HAS.contract) receipt.contractAddress = resolver.address(reader.varint());
  const firstLog = flags & HAS.firstLog ? reader.varint() : slotOf(position) - index;
  return { index, transaction: tx, receipt, firstLog };
}

type Prices = Pick<Draft<ListedReceipt>, "effectiveGasPrice" | "blobGasUsed" | "blobGasPrice" | keyof ExtraFields>;

function readOptional(
  flags: number,
  overflow: OverflowParts,
  reader: ByteReader,
  tx: Draft<ListedTransaction>,
  prices: Prices,
): void {
  if (flags & HAS.gasPrice) tx.gasPrice = reader.string();
  if (flags & HAS.maxFee) tx.maxFeePerGas = reader.string();
  if (flags & HAS.maxPriorityFee) tx.maxPriorityFeePerGas = reader.string();
  if (flags & HAS.chainId) tx.chainId = reader.string();
  if (flags & HAS.accessList) tx.accessList = overflow & PARTS.accessList ? null : readAccessList(reader);
  if (flags & HAS.blobs) {
    tx.maxFeePerBlobGas = reader.string();
    tx.blobVersionedHashes = overflow & PARTS.blobs ? null : reader.many(() => reader.raw(32));
  }
  if (flags & HAS.authorizations) {
    tx.authorizationList = overflow & PARTS.authorizations ? null : readAuthorizations(reader);
  }
  if (flags & HAS.effectiveGasPrice) prices.effectiveGasPrice = reader.string();
  if (flags & HAS.effectiveIsGasPrice) prices.effectiveGasPrice = mustHave(tx.gasPrice, "the gas price that was paid");
  if (flags & HAS.blobGasUsed) prices.blobGasUsed = reader.varint();
  if (flags & HAS.blobGasPrice) prices.blobGasPrice = reader.string();
  const hasExtra = (overflow & PARTS.extra) === 0;
  if (flags & HAS.extra) Object.assign(tx, hasExtra ? reader.extra() : NOT_READ);
  if (flags & HAS.receiptExtra) Object.assign(prices, hasExtra ? reader.extra() : NOT_READ);
}

const NOT_READ = { extra: null } as const;

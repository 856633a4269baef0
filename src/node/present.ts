import type { JsonRecord } from "../chain/block/json.ts";
import { blockJson, locationOf, logJson, receiptJson, transactionJson } from "../chain/block/json.ts";
import type { Transaction } from "../chain/block/transaction.ts";
import { EMPTY } from "../chain/encoding/bytes.ts";
import { quantity, toHex } from "../chain/encoding/hex.ts";
import { itemAt } from "../std/values.ts";
import type { MinedBlock } from "./block/minedBlock.ts";

export function presentBlock(block: MinedBlock, isFull: boolean): JsonRecord {
  const location = locationOf(block.header);
  const show = isFull
    ? (_: Transaction, index: number) => presentTransaction(block, index, location)
    : ({ hash }: Transaction) => toHex(hash);
  return blockJson(block.header, block.transactions.map<unknown>(show));
}

/** Without hash, nonce and miner. */
export function presentPendingBlock({ header, transactions }: MinedBlock, isFull: boolean): JsonRecord {
  const shown = transactions.map<unknown>(isFull ? presentPendingTransaction : ({ hash }) => toHex(hash));
  return { ...blockJson(header, shown), hash: null, miner: null, nonce: null };
}

/** With the effective price. */
export function presentTransaction(block: MinedBlock, index: number, location = locationOf(block.header)): JsonRecord {
  return transactionJson(itemAt(block.transactions, index), effectivePrice(block, index), location, index);
}

function effectivePrice({ transactions, receipts }: MinedBlock, index: number): Uint8Array {
  return itemAt(receipts, index).effectiveGasPrice ?? itemAt(transactions, index).gasPrice ?? EMPTY;
}

/** With the maximum price. */
export function presentPendingTransaction(tx: Transaction): JsonRecord {
  return transactionJson(tx, tx.maxFeePerGas ?? tx.gasPrice ?? EMPTY);
}

export function presentReceipt(block: MinedBlock, index: number, location = locationOf(block.header)): JsonRecord {
  const [tx, receipt] = [itemAt(block.transactions, index), itemAt(block.receipts, index)];
  const place = { ...location, transactionHash: toHex(tx.hash), transactionIndex: quantity(index) };
  const logs = receipt.logs.map((log) => logJson(log, place));
  return receiptJson(tx, { ...receipt, effectiveGasPrice: effectivePrice(block, index) }, place, logs);
}

export function presentReceipts(block: MinedBlock): JsonRecord[] {
  const location = locationOf(block.header);
  return block.receipts.map((_, index) => presentReceipt(block, index, location));
}

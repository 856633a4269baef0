import type { Block } from "../../src/chain/block/block.ts";
import type { Header } from "../../src/chain/block/header.ts";
import type { Log, Receipt } from "../../src/chain/block/receipt.ts";
import type { Transaction } from "../../src/chain/block/transaction.ts";
import { quantity, toHex, uintToHex } from "../../src/chain/encoding/hex.ts";

/** JSON objects as geth sends them. */
export interface WireObject {
  [key: string]: unknown;
}

export interface WireTransaction extends WireObject {
  hash: string;
  from: string;
  nonce: string;
}

export interface WireReceipt extends WireObject {
  transactionHash: string;
  blockHash: string;
  logs: WireObject[];
}

interface WireHeader extends WireObject {
  number: string;
  hash: string;
  parentHash: string;
  timestamp: string;
}

export interface WireBlock extends WireHeader {
  transactions: WireTransaction[];
}

export interface WiredBlock {
  readonly block: WireBlock;
  readonly receipts: WireReceipt[];
}

export function presentWire({ header, transactions, receipts }: Block): WiredBlock {
  const place = {
    blockHash: toHex(header.hash),
    blockNumber: quantity(header.number),
    blockTimestamp: quantity(header.timestamp),
  };
  const wires = transactions.map((tx, index) => ({
    ...place,
    transactionIndex: quantity(index),
    ...presentTransaction(tx),
  }));
  return {
    block: { ...presentHeader(header), transactions: wires },
    receipts: receipts.map((receipt, index) =>
      presentReceipt(receipt, {
        blockHash: place.blockHash,
        blockNumber: place.blockNumber,
        transactionHash: wires[index]!.hash,
        transactionIndex: quantity(index),
      }),
    ),
  };
}

/** While it waits, the price of a transaction is the most it would pay. */
export function presentPending(tx: Transaction): WireTransaction {
  const gasPrice = tx.maxFeePerGas ?? tx.gasPrice!;
  return { blockHash: null, blockNumber: null, transactionIndex: null, ...presentTransaction({ ...tx, gasPrice }) };
}

function presentHeader(header: Header): WireHeader {
  return {
    number: quantity(header.number),
    hash: toHex(header.hash),
    parentHash: toHex(header.parentHash),
    sha3Uncles: toHex(header.sha3Uncles),
    miner: toHex(header.miner),
    stateRoot: toHex(header.stateRoot),
    transactionsRoot: toHex(header.transactionsRoot),
    receiptsRoot: toHex(header.receiptsRoot),
    logsBloom: toHex(header.logsBloom),
    difficulty: uintToHex(header.difficulty),
    gasLimit: uintToHex(header.gasLimit),
    gasUsed: quantity(header.gasUsed),
    timestamp: quantity(header.timestamp),
    extraData: toHex(header.extraData),
    mixHash: toHex(header.mixHash),
    nonce: toHex(header.nonce),
    baseFeePerGas: uintToHex(header.baseFeePerGas!),
    withdrawalsRoot: toHex(header.withdrawalsRoot!),
    blobGasUsed: quantity(header.blobGasUsed!),
    excessBlobGas: uintToHex(header.excessBlobGas!),
    parentBeaconBlockRoot: toHex(header.parentBeaconBlockRoot!),
    requestsHash: toHex(header.requestsHash!),
    size: quantity(header.size),
    uncles: [],
    withdrawals: header.withdrawals!.map((withdrawal) => ({
      index: quantity(withdrawal.index),
      validatorIndex: quantity(withdrawal.validatorIndex),
      address: toHex(withdrawal.address),
      amount: uintToHex(withdrawal.amount),
    })),
    ...header.extra,
  };
}

function presentTransaction(tx: Transaction): WireTransaction {
  const wire: WireTransaction = {
    type: quantity(tx.type),
    hash: toHex(tx.hash),
    from: toHex(tx.from),
    to: tx.to === null ? null : toHex(tx.to),
    nonce: uintToHex(tx.nonce),
    gas: uintToHex(tx.gas),
    gasPrice: uintToHex(tx.gasPrice!),
    value: uintToHex(tx.value),
    input: toHex(tx.input),
    v: uintToHex(tx.v),
    r: uintToHex(tx.r),
    s: uintToHex(tx.s),
  };
  if (tx.chainId !== undefined) wire.chainId = uintToHex(tx.chainId);
  if (tx.maxFeePerGas !== undefined) wire.maxFeePerGas = uintToHex(tx.maxFeePerGas);
  if (tx.maxPriorityFeePerGas !== undefined) wire.maxPriorityFeePerGas = uintToHex(tx.maxPriorityFeePerGas);
  if (tx.type > 0 && tx.type <= 4) addLists(wire, tx);
  return tx.extra === undefined ? wire : Object.assign(wire, tx.extra);
}

function addLists(wire: WireTransaction, tx: Transaction): void {
  wire.yParity = wire.v;
  wire.accessList = tx.accessList!.map((entry) => ({
    address: toHex(entry.address),
    storageKeys: entry.storageKeys.map(toHex),
  }));
  if (tx.type === 3) {
    wire.maxFeePerBlobGas = uintToHex(tx.maxFeePerBlobGas!);
    wire.blobVersionedHashes = tx.blobVersionedHashes!.map(toHex);
  }
  if (tx.type === 4) {
    wire.authorizationList = tx.authorizationList!.map((entry) => ({
      chainId: uintToHex(entry.chainId),
      address: toHex(entry.address),
      nonce: uintToHex(entry.nonce),
      yParity: uintToHex(entry.yParity),
      r: uintToHex(entry.r),
      s: uintToHex(entry.s),
    }));
  }
}

interface ReceiptPlace {
  readonly blockHash: string;
  readonly blockNumber: string;
  readonly transactionHash: string;
  readonly transactionIndex: string;
}

function presentReceipt(receipt: Receipt, place: ReceiptPlace): WireReceipt {
  const wire: WireReceipt = {
    ...place,
    type: quantity(receipt.type),
    from: toHex(receipt.from),
    to: receipt.to === null ? null : toHex(receipt.to),
    contractAddress: receipt.contractAddress === null ? null : toHex(receipt.contractAddress),
    cumulativeGasUsed: quantity(receipt.cumulativeGasUsed),
    gasUsed: quantity(receipt.gasUsed),
    effectiveGasPrice: uintToHex(receipt.effectiveGasPrice!),
    logsBloom: toHex(receipt.logsBloom),
    logs: receipt.logs.map((log) => presentLog(log, place)),
  };
  if (receipt.status !== undefined) wire.status = quantity(receipt.status);
  if (receipt.root !== undefined) wire.root = toHex(receipt.root);
  if (receipt.blobGasUsed !== undefined) wire.blobGasUsed = quantity(receipt.blobGasUsed);
  if (receipt.blobGasPrice !== undefined) wire.blobGasPrice = uintToHex(receipt.blobGasPrice);
  return receipt.extra === undefined ? wire : Object.assign(wire, receipt.extra);
}

function presentLog(log: Log, place: ReceiptPlace): WireObject {
  const topics: string[] = [];
  for (let at = 0; at < log.topics.length; at += 32) topics.push(toHex(log.topics.subarray(at, at + 32)));
  return {
    ...place,
    address: toHex(log.address),
    topics,
    data: toHex(log.data),
    logIndex: quantity(log.logIndex),
    removed: false,
    ...log.extra,
  };
}

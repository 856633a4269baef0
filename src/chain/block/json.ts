import type { Bytes } from "../encoding/bytes.ts";
import type { Hex } from "../encoding/hex.ts";
import { quantity, toHex, uintToHex } from "../encoding/hex.ts";
import type { Header, Withdrawal } from "./header.ts";
import type { Log, Receipt } from "./receipt.ts";
import type { AccessListEntry, Authorization, Transaction } from "./transaction.ts";

/** A record of JSON-RPC. Keys are in geth's order; what a block or transaction does not have is absent. */
export type JsonRecord = Record<string, unknown>;

/** Block fields repeated in its records. */
export interface BlockLocation {
  readonly blockHash: Hex;
  readonly blockNumber: Hex;
  readonly blockTimestamp: Hex;
}

export interface TransactionLocation extends BlockLocation {
  readonly transactionHash: Hex;
  readonly transactionIndex: Hex;
}

export function locationOf({ hash, number, timestamp }: Pick<Header, "hash" | "number" | "timestamp">): BlockLocation {
  return { blockHash: toHex(hash), blockNumber: quantity(number), blockTimestamp: quantity(timestamp) };
}

const UNMINED = { blockHash: null, blockNumber: null, blockTimestamp: null } as const;

/** Without a location the transaction is pending. */
export function transactionJson(
  tx: Transaction,
  gasPrice: Bytes | undefined,
  location?: BlockLocation,
  index?: number,
): JsonRecord {
  const { blockHash, blockNumber, blockTimestamp } = location ?? UNMINED;
  const record: JsonRecord = { blockHash, blockNumber, blockTimestamp, from: toHex(tx.from), gas: uintToHex(tx.gas) };
  if (gasPrice !== undefined) record.gasPrice = uintToHex(gasPrice);
  if (tx.maxFeePerGas !== undefined) record.maxFeePerGas = uintToHex(tx.maxFeePerGas);
  if (tx.maxPriorityFeePerGas !== undefined) record.maxPriorityFeePerGas = uintToHex(tx.maxPriorityFeePerGas);
  if (tx.maxFeePerBlobGas !== undefined) record.maxFeePerBlobGas = uintToHex(tx.maxFeePerBlobGas);
  record.hash = toHex(tx.hash);
  record.input = toHex(tx.input);
  record.nonce = uintToHex(tx.nonce);
  record.to = hexOrNull(tx.to);
  record.transactionIndex = index === undefined ? null : quantity(index);
  record.value = uintToHex(tx.value);
  record.type = quantity(tx.type);
  if (tx.accessList !== undefined) record.accessList = tx.accessList.map(accessJson);
  if (tx.chainId !== undefined) record.chainId = uintToHex(tx.chainId);
  if (tx.blobVersionedHashes !== undefined) record.blobVersionedHashes = tx.blobVersionedHashes.map(toHex);
  if (tx.authorizationList !== undefined) record.authorizationList = tx.authorizationList.map(authorizationJson);
  record.v = uintToHex(tx.v);
  record.r = uintToHex(tx.r);
  record.s = uintToHex(tx.s);
  if (tx.type > 0) record.yParity = record.v;
  return record;
}

const hexOrNull = (bytes: Bytes | null): Hex | null => (bytes === null ? null : toHex(bytes));

function accessJson({ address, storageKeys }: AccessListEntry): JsonRecord {
  return { address: toHex(address), storageKeys: storageKeys.map(toHex) };
}

function authorizationJson({ chainId, address, nonce, yParity, r, s }: Authorization): JsonRecord {
  return {
    chainId: uintToHex(chainId),
    address: toHex(address),
    nonce: uintToHex(nonce),
    yParity: uintToHex(yParity),
    r: uintToHex(r),
    s: uintToHex(s),
  };
}

/** Without its logs where they are not given. */
export function receiptJson(
  { type, from, to }: Pick<Transaction, "type" | "from" | "to">,
  receipt: Omit<Receipt, "type" | "from" | "to" | "logs">,
  location: TransactionLocation,
  logs?: readonly JsonRecord[],
): JsonRecord {
  const record: JsonRecord = {};
  if (receipt.blobGasPrice !== undefined) record.blobGasPrice = uintToHex(receipt.blobGasPrice);
  if (receipt.blobGasUsed !== undefined) record.blobGasUsed = quantity(receipt.blobGasUsed);
  record.blockHash = location.blockHash;
  record.blockNumber = location.blockNumber;
  record.contractAddress = hexOrNull(receipt.contractAddress);
  record.cumulativeGasUsed = quantity(receipt.cumulativeGasUsed);
  if (receipt.effectiveGasPrice !== undefined) record.effectiveGasPrice = uintToHex(receipt.effectiveGasPrice);
  record.from = toHex(from);
  record.gasUsed = quantity(receipt.gasUsed);
  if (logs !== undefined) record.logs = logs;
  record.logsBloom = toHex(receipt.logsBloom);
  if (receipt.root !== undefined) record.root = toHex(receipt.root);
  else record.status = quantity(receipt.status ?? 0);
  record.to = hexOrNull(to);
  record.transactionHash = location.transactionHash;
  record.transactionIndex = location.transactionIndex;
  record.type = quantity(type);
  return record;
}

export function logJson(log: Log, location: TransactionLocation): JsonRecord {
  return {
    address: toHex(log.address),
    topics: topicsJson(log.topics),
    data: toHex(log.data),
    blockNumber: location.blockNumber,
    transactionHash: location.transactionHash,
    transactionIndex: location.transactionIndex,
    blockHash: location.blockHash,
    blockTimestamp: location.blockTimestamp,
    logIndex: quantity(log.logIndex),
    removed: false,
  };
}

function topicsJson(topics: Bytes): Hex[] {
  const digits = toHex(topics);
  const shown: Hex[] = [];
  for (let at = 2; at < digits.length; at += 64) shown.push(`0x${digits.slice(at, at + 64)}`);
  return shown;
}

/** Of a block, without its transactions where they are not given. */
export function blockJson(header: Header, transactions?: readonly unknown[]): JsonRecord {
  const record: JsonRecord = {};
  if (header.baseFeePerGas !== undefined) record.baseFeePerGas = uintToHex(header.baseFeePerGas);
  if (header.blobGasUsed !== undefined) record.blobGasUsed = quantity(header.blobGasUsed);
  record.difficulty = uintToHex(header.difficulty);
  if (header.excessBlobGas !== undefined) record.excessBlobGas = uintToHex(header.excessBlobGas);
  record.extraData = toHex(header.extraData);
  record.gasLimit = uintToHex(header.gasLimit);
  record.gasUsed = quantity(header.gasUsed);
  record.hash = toHex(header.hash);
  record.logsBloom = toHex(header.logsBloom);
  record.miner = toHex(header.miner);
  record.mixHash = toHex(header.mixHash);
  record.nonce = toHex(header.nonce);
  record.number = quantity(header.number);
  if (header.parentBeaconBlockRoot !== undefined) record.parentBeaconBlockRoot = toHex(header.parentBeaconBlockRoot);
  record.parentHash = toHex(header.parentHash);
  record.receiptsRoot = toHex(header.receiptsRoot);
  if (header.requestsHash !== undefined) record.requestsHash = toHex(header.requestsHash);
  record.sha3Uncles = toHex(header.sha3Uncles);
  record.size = quantity(header.size);
  record.stateRoot = toHex(header.stateRoot);
  record.timestamp = quantity(header.timestamp);
  if (header.totalDifficulty !== undefined) record.totalDifficulty = uintToHex(header.totalDifficulty);
  if (transactions !== undefined) record.transactions = transactions;
  record.transactionsRoot = toHex(header.transactionsRoot);
  record.uncles = header.uncles.map(toHex);
  if (header.withdrawals !== undefined) record.withdrawals = header.withdrawals.map(withdrawalJson);
  if (header.withdrawalsRoot !== undefined) record.withdrawalsRoot = toHex(header.withdrawalsRoot);
  return record;
}

export function withdrawalJson({ index, validatorIndex, address, amount }: Withdrawal): JsonRecord {
  return {
    index: quantity(index),
    validatorIndex: quantity(validatorIndex),
    address: toHex(address),
    amount: uintToHex(amount),
  };
}

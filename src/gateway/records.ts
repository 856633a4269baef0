import type { Header, Withdrawal } from "../chain/block/header.ts";
import type { Log } from "../chain/block/receipt.ts";
import type { AccessListEntry, Authorization, Transaction } from "../chain/block/transaction.ts";
import type { Bytes } from "../chain/encoding/bytes.ts";
import type { ExtraFields } from "../chain/encoding/extra.ts";
import type { Hex } from "../chain/encoding/hex.ts";
import { quantity, toHex, uintToHex } from "../chain/encoding/hex.ts";
import { logsBloom } from "../chain/hashing/bloom.ts";
import type { StoredTransaction } from "../store/rows/transactionBody.ts";

type Fields = Record<string, unknown>;

/** Nodes may select other fields for a record alone than for one inside another. */
export type RecordKind =
  | "block"
  | "transaction"
  | "transaction in block"
  | "receipt"
  | "receipt in block"
  | "log"
  | "log in receipt";

/** A record with every field any node shows. `ResponseShapes` selects those that this node shows. */
export interface GatewayRecord {
  readonly kind: RecordKind;
  readonly class: string;
  readonly fields: Fields;
  /** Nested records and the field that holds them. */
  readonly listed?: { readonly field: string; readonly records: readonly GatewayRecord[] };
}

export interface BlockCopies {
  readonly blockHash: Hex;
  readonly blockNumber: Hex;
  readonly blockTimestamp: Hex;
}

export function copiesOf({ hash, number, timestamp }: Pick<Header, "hash" | "number" | "timestamp">): BlockCopies {
  return { blockHash: toHex(hash), blockNumber: quantity(number), blockTimestamp: quantity(timestamp) };
}

type Mined = Pick<StoredTransaction, "transaction" | "receipt" | "index">;

export function transactionRecord(mined: Mined, copies: BlockCopies, kind: RecordKind = "transaction"): GatewayRecord {
  const { transaction: tx, index } = mined;
  const fields: Fields = {
    ...copies,
    transactionIndex: quantity(index),
    from: toHex(tx.from),
    gas: uintToHex(tx.gas),
    hash: toHex(tx.hash),
    input: toHex(tx.input),
    nonce: uintToHex(tx.nonce),
    to: tx.to && toHex(tx.to),
    value: uintToHex(tx.value),
    type: quantity(tx.type),
    v: uintToHex(tx.v),
    r: uintToHex(tx.r),
    s: uintToHex(tx.s),
  };
  for (const key of PRICES) if (tx[key] !== undefined) fields[key] = uintToHex(tx[key]);
  if (tx.type > 0) fields.yParity = fields.v;
  if (tx.accessList !== undefined) fields.accessList = tx.accessList.map(showAccess);
  if (tx.blobVersionedHashes !== undefined) fields.blobVersionedHashes = tx.blobVersionedHashes.map(toHex);
  if (tx.authorizationList !== undefined) fields.authorizationList = tx.authorizationList.map(showAuthorization);
  return { kind, class: partialClass(tx, classOf(tx)), fields: withExtra(fields, tx) };
}

const PRICES = ["gasPrice", "maxFeePerGas", "maxPriorityFeePerGas", "maxFeePerBlobGas", "chainId"] as const;

/** Some nodes pad short numbers or omit empty fields, which only shows on transactions that have them. */
function classOf({ type, to, r, s, chainId, accessList }: Transaction): string {
  const isShort = isPadded(r) || isPadded(s);
  return `${type} ${to === null} ${isShort} ${chainId === undefined} ${accessList?.length === 0}`;
}

function isPadded(value: Bytes): boolean {
  return value.length < 32 || value[0]! < 16;
}

function showAccess({ address, storageKeys }: AccessListEntry): Fields {
  return { address: toHex(address), storageKeys: storageKeys.map(toHex) };
}

function showAuthorization({ chainId, address, nonce, yParity, r, s }: Authorization): Fields {
  const numbers = { chainId: uintToHex(chainId), nonce: uintToHex(nonce), yParity: uintToHex(yParity) };
  return { ...numbers, address: toHex(address), r: uintToHex(r), s: uintToHex(s) };
}

export function receiptRecord(mined: Mined, copies: BlockCopies, kind: RecordKind = "receipt"): GatewayRecord {
  const { transaction: tx, receipt, index } = mined;
  const place = { transactionHash: toHex(tx.hash), transactionIndex: quantity(index) };
  const fields: Fields = {
    ...copies,
    ...place,
    contractAddress: receipt.contractAddress && toHex(receipt.contractAddress),
    cumulativeGasUsed: quantity(receipt.cumulativeGasUsed),
    from: toHex(tx.from),
    gasUsed: quantity(receipt.gasUsed),
    logsBloom: toHex(logsBloom(receipt.logs)),
    to: tx.to && toHex(tx.to),
    type: quantity(tx.type),
  };
  if (receipt.effectiveGasPrice !== undefined) fields.effectiveGasPrice = uintToHex(receipt.effectiveGasPrice);
  if (receipt.blobGasPrice !== undefined) fields.blobGasPrice = uintToHex(receipt.blobGasPrice);
  if (receipt.blobGasUsed !== undefined) fields.blobGasUsed = quantity(receipt.blobGasUsed);
  if (receipt.root !== undefined) fields.root = toHex(receipt.root);
  else fields.status = quantity(receipt.status ?? 0);
  const records = receipt.logs.map((log) => logRecord(log, { ...copies, ...place }, "log in receipt"));
  const shape = `${tx.type} ${receipt.root === undefined} ${receipt.contractAddress === null} ${tx.to === null}`;
  const listed = { field: "logs", records };
  return { kind, class: partialClass(receipt, shape), fields: withExtra(fields, receipt), listed };
}

export interface LogPlace extends BlockCopies {
  readonly transactionHash: Hex;
  readonly transactionIndex: Hex;
}

export function logRecord(log: Log, place: LogPlace, kind: RecordKind = "log"): GatewayRecord {
  const fields: Fields = {
    address: toHex(log.address),
    topics: showTopics(log.topics),
    data: toHex(log.data),
    ...place,
    logIndex: quantity(log.logIndex),
    removed: false,
  };
  return { kind, class: partialClass(log, ""), fields: withExtra(fields, log) };
}

function showTopics(topics: Bytes): Hex[] {
  return Array.from({ length: topics.length / 32 }, (_, at) => toHex(topics.subarray(at * 32, at * 32 + 32)));
}

export function blockRecord(
  header: Header,
  transactions: readonly StoredTransaction[],
  isFull: boolean,
): GatewayRecord {
  const fields = withExtra(headerFields(header), header);
  const optional = OPTIONAL.map((key) => Number(header[key] !== undefined)).join("");
  const shape = partialClass(header, `${isFull} ${header.number === 0} ${optional}`);
  if (!isFull) {
    fields.transactions = transactions.map(({ transaction }) => toHex(transaction.hash));
    return { kind: "block", class: shape, fields };
  }
  const copies = copiesOf(header);
  const records = transactions.map((mined) => transactionRecord(mined, copies, "transaction in block"));
  return { kind: "block", class: shape, fields, listed: { field: "transactions", records } };
}

const HASHES = ["hash", "parentHash", "sha3Uncles", "miner", "stateRoot", "transactionsRoot", "receiptsRoot"] as const;
const BYTES = ["logsBloom", "extraData", "mixHash", "nonce"] as const;
const NUMBERS = ["number", "gasUsed", "timestamp", "size"] as const;
const LATER_NUMBERS = ["baseFeePerGas", "excessBlobGas", "totalDifficulty"] as const;
const LATER_HASHES = ["withdrawalsRoot", "parentBeaconBlockRoot", "requestsHash"] as const;
const OPTIONAL = [...LATER_NUMBERS, ...LATER_HASHES, "blobGasUsed", "withdrawals"] as const;

function headerFields(header: Header): Fields {
  const fields: Fields = { difficulty: uintToHex(header.difficulty), gasLimit: uintToHex(header.gasLimit) };
  for (const key of [...HASHES, ...BYTES]) fields[key] = toHex(header[key]);
  for (const key of NUMBERS) fields[key] = quantity(header[key]);
  for (const key of LATER_NUMBERS) if (header[key] !== undefined) fields[key] = uintToHex(header[key]);
  for (const key of LATER_HASHES) if (header[key] !== undefined) fields[key] = toHex(header[key]);
  if (header.blobGasUsed !== undefined) fields.blobGasUsed = quantity(header.blobGasUsed);
  if (header.withdrawals !== undefined) fields.withdrawals = header.withdrawals.map(showWithdrawal);
  fields.uncles = header.uncles.map(toHex);
  return fields;
}

function showWithdrawal({ index, validatorIndex, address, amount }: Withdrawal): Fields {
  const numbers = { index: quantity(index), validatorIndex: quantity(validatorIndex) };
  return { ...numbers, address: toHex(address), amount: uintToHex(amount) };
}

function withExtra(fields: Fields, { extra }: ExtraFields): Fields {
  return extra === undefined ? fields : { ...fields, ...extra };
}

/** If the index lacks a field, only the node can show the record: the class is never served from the index. */
function partialClass({ omittedFields }: ExtraFields, others: string): string {
  return omittedFields === undefined ? others : `${others} ${PARTIAL}`;
}

const PARTIAL = "partial";

export function isPartial(record: GatewayRecord): boolean {
  return record.class.endsWith(PARTIAL);
}

import type { Header } from "../chain/block/header.ts";
import type { BlockLocation, JsonRecord as Fields, TransactionLocation } from "../chain/block/json.ts";
import { blockJson, locationOf, logJson, receiptJson, transactionJson } from "../chain/block/json.ts";
import type { Log } from "../chain/block/receipt.ts";
import type { Transaction } from "../chain/block/transaction.ts";
import type { Bytes } from "../chain/encoding/bytes.ts";
import type { ExtraFields } from "../chain/encoding/extra.ts";
import { quantity, toHex } from "../chain/encoding/hex.ts";
import { logsBloom } from "../chain/hashing/bloom.ts";
import type { StoredTransaction } from "../store/rows/transactionBody.ts";

/** Nodes may select other fields for a record alone than for one inside another. */
type RecordKind =
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

type Mined = Pick<StoredTransaction, "transaction" | "receipt" | "index">;

export function transactionRecord(
  mined: Mined,
  copies: BlockLocation,
  kind: RecordKind = "transaction",
): GatewayRecord {
  const { transaction: tx, index } = mined;
  const fields = transactionJson(tx, tx.gasPrice, copies, index);
  return { kind, class: partialClass(tx, classOf(tx)), fields: withExtra(fields, tx) };
}

/** Some nodes pad short numbers or omit empty fields, which only shows on transactions that have them. */
function classOf({ type, to, r, s, chainId, accessList }: Transaction): string {
  const isShort = isPadded(r) || isPadded(s);
  return `${type} ${to === null} ${isShort} ${chainId === undefined} ${accessList?.length === 0}`;
}

function isPadded(value: Bytes): boolean {
  return value.length < 32 || value[0]! < 16;
}

export function receiptRecord(mined: Mined, copies: BlockLocation, kind: RecordKind = "receipt"): GatewayRecord {
  const { transaction: tx, receipt, index } = mined;
  const place = { ...copies, transactionHash: toHex(tx.hash), transactionIndex: quantity(index) };
  const stored = { ...receipt, logsBloom: logsBloom(receipt.logs) };
  const fields: Fields = { ...receiptJson(tx, stored, place), blockTimestamp: copies.blockTimestamp };
  const records = receipt.logs.map((log) => logRecord(log, place, "log in receipt"));
  const shape = `${tx.type} ${receipt.root === undefined} ${receipt.contractAddress === null} ${tx.to === null}`;
  const listed = { field: "logs", records };
  return { kind, class: partialClass(receipt, shape), fields: withExtra(fields, receipt), listed };
}

export function logRecord(log: Log, place: TransactionLocation, kind: RecordKind = "log"): GatewayRecord {
  return { kind, class: partialClass(log, ""), fields: withExtra(logJson(log, place), log) };
}

export function blockRecord(
  header: Header,
  transactions: readonly StoredTransaction[],
  isFull: boolean,
): GatewayRecord {
  const fields = withExtra(blockJson(header), header);
  const optional = OPTIONAL.map((key) => Number(header[key] !== undefined)).join("");
  const shape = partialClass(header, `${isFull} ${header.number === 0} ${optional}`);
  if (!isFull) {
    fields.transactions = transactions.map(({ transaction }) => toHex(transaction.hash));
    return { kind: "block", class: shape, fields };
  }
  const copies = locationOf(header);
  const records = transactions.map((mined) => transactionRecord(mined, copies, "transaction in block"));
  return { kind: "block", class: shape, fields, listed: { field: "transactions", records } };
}

const OPTIONAL = [
  "baseFeePerGas",
  "excessBlobGas",
  "totalDifficulty",
  "withdrawalsRoot",
  "parentBeaconBlockRoot",
  "requestsHash",
  "blobGasUsed",
  "withdrawals",
] as const;

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

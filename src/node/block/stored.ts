import { RLP } from "@ethereumjs/rlp";
import { createdAddress } from "../../chain/block/block.ts";
import { BLOB_GAS } from "../../chain/block/fees.ts";
import type { Header, Withdrawal } from "../../chain/block/header.ts";
import { writeHeader } from "../../chain/block/header.ts";
import type { Log, Receipt } from "../../chain/block/receipt.ts";
import { writeReceipt } from "../../chain/block/receipt.ts";
import type { Transaction } from "../../chain/block/transaction.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { RlpWriter } from "../../chain/encoding/rlp.ts";
import { uintFromBigInt, uintToBigInt, uintToNumber } from "../../chain/encoding/uint.ts";
import type { Draft } from "../../chain/encoding/wire.ts";
import { ChainError } from "../../chain/error.ts";
import { keccak256 } from "../../chain/hashing/keccak.ts";
import { itemAt } from "../../std/values.ts";
import type { ForkRules } from "../rules.ts";
import type { RlpItem } from "../state/rlpFields.ts";
import { asList, asString, asStrings, decodeList } from "../state/rlpFields.ts";
import { writeBlock } from "./assemble.ts";
import { blobGasPrice } from "./blobGasPrice.ts";
import type { MinedBlock } from "./minedBlock.ts";
import { effectiveGasPrice } from "./outcome.ts";
import { decodeKept, toTransaction } from "./toTransaction.ts";

/** Row form of a block. Derived values (hashes, prices, addresses) are recomputed. */
export interface StoredBlock {
  readonly header: Bytes;
  /** RLP of transactions, senders, receipts, gas used, uncles and withdrawals. */
  readonly body: Bytes;
  readonly stateRoot: Bytes;
}

const scratch = new RlpWriter();

export function encodeStored(block: MinedBlock): StoredBlock {
  scratch.reset();
  writeHeader(block.header, scratch);
  const header = scratch.written.slice();
  const body = RLP.encode([
    [...block.raw],
    block.transactions.map(({ from }) => from),
    block.receipts.map((receipt) => encodeReceipt(receipt)),
    block.receipts.map(({ gasUsed }) => gasUsed),
    [...block.uncles],
    block.header.withdrawals?.map((entry) => [entry.index, entry.validatorIndex, entry.address, entry.amount]) ??
      "none",
  ]);
  return { header, body, stateRoot: block.stateRoot };
}

export function encodeReceipt(receipt: Receipt): Bytes {
  scratch.reset();
  writeReceipt(receipt, receipt.type, scratch);
  return scratch.written.slice();
}

export function decodeStored(stored: StoredBlock, rules: ForkRules): MinedBlock {
  const [transactionList, senderList, receiptList, gasList, uncleList, withdrawals] = decodeList(stored.body);
  const [raw, senders, uncles] = [asStrings(transactionList), asStrings(senderList), asStrings(uncleList)];
  const header = decodeHeaderRlp(stored.header);
  if (Array.isArray(withdrawals)) header.withdrawals = withdrawals.map(readWithdrawal);
  header.uncles = uncles.map((uncle) => keccak256(uncle));
  header.size = writeBlock(header, raw, uncles).length;
  const transactions = raw.map((bytes, index) => {
    return toTransaction(decodeKept(bytes, rules), keccak256(bytes), itemAt(senders, index));
  });
  const blobPrice = header.excessBlobGas && blobGasPrice(uintToBigInt(header.excessBlobGas), rules);
  return {
    header,
    transactions,
    receipts: readReceipts(asStrings(receiptList), asStrings(gasList), transactions, header, blobPrice),
    raw,
    uncles,
    stateRoot: stored.stateRoot,
  };
}

function readWithdrawal(item: RlpItem): Withdrawal {
  const [index, validatorIndex, address, amount] = asList(item);
  return {
    index: uintToNumber(asString(index)),
    validatorIndex: uintToNumber(asString(validatorIndex)),
    address: asString(address),
    amount: asString(amount),
  };
}

/** Fields outside the consensus encoding follow from the transaction. */
function readReceipts(
  encoded: readonly Bytes[],
  gasUsed: readonly Bytes[],
  transactions: readonly Transaction[],
  { baseFeePerGas }: Header,
  blobPrice: bigint | undefined,
): Receipt[] {
  const baseFee = baseFeePerGas && uintToBigInt(baseFeePerGas);
  let logIndex = 0;
  return encoded.map((bytes, index) => {
    const tx = itemAt(transactions, index);
    const blobs = tx.blobVersionedHashes?.length ?? 0;
    const committed = readCommitted(bytes, logIndex);
    logIndex += committed.logs.length;
    return {
      type: tx.type,
      from: tx.from,
      to: tx.to,
      ...committed,
      gasUsed: uintToNumber(itemAt(gasUsed, index)),
      effectiveGasPrice: uintFromBigInt(effectiveGasPrice(tx, baseFee)),
      contractAddress: tx.to === null ? createdAddress(tx) : null,
      ...(tx.type === 3 && { blobGasUsed: blobs * BLOB_GAS }),
      ...(tx.type === 3 && blobPrice !== undefined && { blobGasPrice: uintFromBigInt(blobPrice) }),
    };
  });
}

type Committed = Pick<Receipt, "status" | "root" | "cumulativeGasUsed" | "logsBloom" | "logs">;

function readCommitted(bytes: Bytes, firstLog: number): Committed {
  const legacy = itemAt(bytes, 0) >= 0xc0 ? bytes : bytes.subarray(1);
  const [outcomeItem, gas, bloom, logs] = decodeList(legacy);
  const outcome = asString(outcomeItem);
  return {
    ...(outcome.length === 32 ? { root: outcome } : { status: outcome.length === 0 ? 0 : 1 }),
    cumulativeGasUsed: uintToNumber(asString(gas)),
    logsBloom: asString(bloom),
    logs: asList(logs).map((log, index) => readLog(log, firstLog + index)),
  };
}

function readLog(item: RlpItem, logIndex: number): Log {
  const [address, topics, data] = asList(item);
  return { address: asString(address), topics: Buffer.concat(asStrings(topics)), data: asString(data), logIndex };
}

type Bytes7 = [Bytes, Bytes, Bytes, Bytes, Bytes, Bytes, Bytes];
/** Mandatory fields, then those added by forks. */
type HeaderFields = [Bytes, ...Bytes7, ...Bytes7, ...Bytes[]];

function isHeader(fields: unknown): fields is HeaderFields {
  return Array.isArray(fields) && fields.length >= 15 && fields.every((field) => field instanceof Uint8Array);
}

/** Without size, uncles and withdrawals. */
export function decodeHeaderRlp(rlp: Bytes): Draft<Header> {
  const fields: unknown = RLP.decode(rlp);
  if (!isHeader(fields)) throw new ChainError("store_corrupt", "a stored block has no header");
  const [parentHash, sha3Uncles, miner, stateRoot, transactionsRoot, receiptsRoot, logsBloom, difficulty, ...rest] =
    fields;
  const [number, gasLimit, gasUsed, timestamp, extraData, mixHash, nonce, ...later] = rest;
  const [baseFeePerGas, withdrawals, blobGasUsed, excessBlobGas, parentBeaconBlockRoot, requestsHash] = later;
  return {
    number: uintToNumber(number),
    hash: keccak256(rlp),
    parentHash,
    sha3Uncles,
    miner,
    stateRoot,
    transactionsRoot,
    receiptsRoot,
    logsBloom,
    difficulty,
    gasLimit,
    gasUsed: uintToNumber(gasUsed),
    timestamp: uintToNumber(timestamp),
    extraData,
    mixHash,
    nonce,
    size: 0,
    uncles: [],
    ...(baseFeePerGas && { baseFeePerGas }),
    ...(withdrawals && { withdrawalsRoot: withdrawals }),
    ...(blobGasUsed && { blobGasUsed: uintToNumber(blobGasUsed) }),
    ...(excessBlobGas && { excessBlobGas }),
    ...(parentBeaconBlockRoot && { parentBeaconBlockRoot }),
    ...(requestsHash && { requestsHash }),
  };
}

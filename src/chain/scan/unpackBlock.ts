import type { Block } from "../block/block.ts";
import type { Header, Withdrawal } from "../block/header.ts";
import type { Log, Receipt } from "../block/receipt.ts";
import type { Transaction } from "../block/transaction.ts";
import type { Draft } from "../encoding/wire.ts";
import { noteVerified } from "../integrity/verified.ts";
import { PackedReader } from "./packed.ts";
import * as R from "./records.ts";
import { unpackHashes, unpackTransaction } from "./unpackTransaction.ts";

/** By identity, as what was verified. */
const packedBlocks = new WeakMap<Block, ArrayBuffer>();

/** What a block was unpacked from. Its fields are views of it. */
export const packedOf = (block: Block): ArrayBuffer | undefined => packedBlocks.get(block);

/** The block that `scanBlock` packed, as `decodeBlock` decodes it. A thread that only passes it on never unpacks its transactions. */
export function unpackBlock(packed: ArrayBuffer): Block {
  const reader = new PackedReader(packed);
  const header = reader.word(0);
  let body: Body | undefined;
  const block: Block = {
    header: unpackHeader(reader, header),
    get transactions() {
      body ??= unpackBody(reader, header);
      return body.transactions;
    },
    get receipts() {
      body ??= unpackBody(reader, header);
      return body.receipts;
    },
  };
  packedBlocks.set(block, packed);
  noteVerified(block, reader.word(header + R.H_VERIFIED), reader.word(header + R.H_TX_BYTES));
  return block;
}

type Body = Pick<Block, "transactions" | "receipts">;

function unpackBody(reader: PackedReader, header: number): Body {
  const count = reader.word(header + R.H_TRANSACTIONS);
  const firstReceipt = header + R.HEADER_SIZE + count * R.TX_SIZE;
  const logs = unpackLogs(reader, firstReceipt + count * R.RECEIPT_SIZE, reader.word(header + R.H_LOGS));
  const transactions = new Array<Transaction>(count);
  const receipts = new Array<Receipt>(count);
  for (let index = 0; index < count; index++) {
    const at = header + R.HEADER_SIZE + index * R.TX_SIZE;
    const tx = unpackTransaction(reader, at);
    transactions[index] = tx;
    receipts[index] = unpackReceipt(reader, firstReceipt + index * R.RECEIPT_SIZE, at, tx, logs);
  }
  return { transactions, receipts };
}

export function isPackedEmpty(packed: ArrayBuffer): boolean {
  const reader = new PackedReader(packed);
  return reader.word(reader.word(0) + R.H_TRANSACTIONS) === 0;
}

function unpackHeader(reader: PackedReader, at: number): Header {
  const header: Draft<Header> = {
    number: reader.number(at + R.H_NUMBER),
    hash: reader.fixed(at + R.H_HASH, 32),
    parentHash: reader.fixed(at + R.H_PARENT, 32),
    sha3Uncles: reader.fixed(at + R.H_SHA3_UNCLES, 32),
    miner: reader.fixed(at + R.H_MINER, 20),
    stateRoot: reader.fixed(at + R.H_STATE_ROOT, 32),
    transactionsRoot: reader.fixed(at + R.H_TX_ROOT, 32),
    receiptsRoot: reader.fixed(at + R.H_RECEIPTS_ROOT, 32),
    logsBloom: reader.fixed(at + R.H_BLOOM, 256),
    difficulty: reader.slot(at + R.H_DIFFICULTY),
    gasLimit: reader.slot(at + R.H_GAS_LIMIT),
    gasUsed: reader.number(at + R.H_GAS_USED),
    timestamp: reader.number(at + R.H_TIMESTAMP),
    extraData: reader.slot(at + R.H_EXTRA_DATA),
    mixHash: reader.fixed(at + R.H_MIX_HASH, 32),
    nonce: reader.fixed(at + R.H_NONCE, 8),
    size: reader.number(at + R.H_BYTES),
    uncles: unpackHashes(reader, at + R.H_UNCLES),
  };
  if (reader.has(at + R.H_BASE_FEE)) header.baseFeePerGas = reader.slot(at + R.H_BASE_FEE);
  if (reader.has(at + R.H_EXCESS_BLOB_GAS)) header.excessBlobGas = reader.slot(at + R.H_EXCESS_BLOB_GAS);
  if (reader.has(at + R.H_WITHDRAWALS_ROOT)) header.withdrawalsRoot = reader.fixed(at + R.H_WITHDRAWALS_ROOT, 32);
  if (reader.has(at + R.H_BEACON_ROOT)) header.parentBeaconBlockRoot = reader.fixed(at + R.H_BEACON_ROOT, 32);
  if (reader.has(at + R.H_REQUESTS)) header.requestsHash = reader.fixed(at + R.H_REQUESTS, 32);
  if (reader.has(at + R.H_HAS_BLOB_GAS)) header.blobGasUsed = reader.number(at + R.H_BLOB_GAS);
  if (reader.has(at + R.H_WITHDRAWALS)) header.withdrawals = unpackWithdrawals(reader, at + R.H_WITHDRAWALS);
  if (reader.has(at + R.H_TOTAL_DIFFICULTY)) header.totalDifficulty = reader.slot(at + R.H_TOTAL_DIFFICULTY);
  return header;
}

function unpackWithdrawals(reader: PackedReader, at: number): Withdrawal[] {
  const { entries } = reader;
  let entry = reader.word(at);
  return Array.from({ length: reader.word(at + 4) }, () => {
    const word = (field: number) => entries.getUint32(entry + field, true);
    const withdrawal = {
      index: entries.getFloat64(entry + R.W_INDEX, true),
      validatorIndex: entries.getFloat64(entry + R.W_VALIDATOR, true),
      address: reader.bytes(word(R.W_ADDRESS), 20),
      amount: reader.bytes(word(R.W_AMOUNT), word(R.W_AMOUNT + 4)),
    };
    entry += word(R.W_BYTES);
    return withdrawal;
  });
}

function unpackReceipt(
  reader: PackedReader,
  at: number,
  ofTransaction: number,
  tx: Transaction,
  logs: readonly Log[],
): Receipt {
  const first = reader.word(at + R.R_FIRST_LOG);
  // Bytes that are the transaction's have its offset.
  const isFrom = reader.word(at + R.R_FROM) === reader.word(ofTransaction + R.T_FROM);
  const isTo = reader.word(at + R.R_TO) === reader.word(ofTransaction + R.T_TO);
  const receipt: Draft<Receipt> = {
    type: reader.word(at + R.R_TYPE),
    from: isFrom ? tx.from : reader.fixed(at + R.R_FROM, 20),
    to: isTo ? tx.to : reader.fixedOrNull(at + R.R_TO, 20),
    cumulativeGasUsed: reader.number(at + R.R_CUMULATIVE),
    gasUsed: reader.number(at + R.R_GAS_USED),
    contractAddress: reader.fixedOrNull(at + R.R_CONTRACT, 20),
    logsBloom: reader.fixed(at + R.R_BLOOM, 256),
    logs: logs.slice(first, first + reader.word(at + R.R_LOGS)),
  };
  const status = reader.word(at + R.R_STATUS);
  if (status === 0 || status === 1) receipt.status = status;
  else receipt.root = reader.fixed(at + R.R_ROOT, 32);
  if (reader.has(at + R.R_PRICE)) receipt.effectiveGasPrice = reader.slot(at + R.R_PRICE);
  if (reader.has(at + R.R_HAS_BLOB_GAS)) receipt.blobGasUsed = reader.number(at + R.R_BLOB_GAS);
  if (reader.has(at + R.R_BLOB_PRICE)) receipt.blobGasPrice = reader.slot(at + R.R_BLOB_PRICE);
  return receipt;
}

function unpackLogs(reader: PackedReader, start: number, count: number): Log[] {
  const logs = new Array<Log>(count);
  for (let index = 0; index < count; index++) {
    const at = start + index * R.LOG_SIZE;
    logs[index] = {
      address: reader.fixed(at + R.L_ADDRESS, 20),
      topics: reader.bytes(reader.word(at + R.L_TOPICS), reader.word(at + R.L_TOPIC_COUNT) * 32),
      data: reader.slot(at + R.L_DATA),
      logIndex: reader.number(at + R.L_INDEX),
    };
  }
  return logs;
}

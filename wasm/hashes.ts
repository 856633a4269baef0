import {
  A_ADDRESS,
  A_BYTES,
  A_CHAIN_ID,
  A_NONCE,
  A_PARITY,
  A_R,
  A_S,
  ACCESS_SIZE,
  H_BASE_FEE,
  H_BEACON_ROOT,
  H_BLOB_GAS,
  H_BLOOM,
  H_DIFFICULTY,
  H_EXCESS_BLOB_GAS,
  H_EXTRA_DATA,
  H_GAS_LIMIT,
  H_GAS_USED,
  H_HAS_BLOB_GAS,
  H_HASH,
  H_MINER,
  H_MIX_HASH,
  H_NONCE,
  H_NUMBER,
  H_PARENT,
  H_RECEIPTS,
  H_RECEIPTS_ROOT,
  H_REQUESTS,
  H_SHA3_UNCLES,
  H_STATE_ROOT,
  H_TIMESTAMP,
  H_TRANSACTIONS,
  H_TX_BYTES,
  H_TX_ROOT,
  H_VERIFIED,
  H_WITHDRAWALS,
  H_WITHDRAWALS_ROOT,
  HEADER_SIZE,
  L_ADDRESS,
  L_DATA,
  L_TOPIC_COUNT,
  L_TOPICS,
  LOG_SIZE,
  R_BLOOM,
  R_CUMULATIVE,
  R_FIRST_LOG,
  R_LOGS,
  R_ROOT,
  R_STATUS,
  RECEIPT_SIZE,
  T_ACCESS,
  T_AUTHORIZATIONS,
  T_BLOB_HASHES,
  T_CHAIN_ID,
  T_GAS,
  T_GAS_PRICE,
  T_HASH,
  T_INPUT,
  T_MAX_BLOB_FEE,
  T_MAX_FEE,
  T_NONCE,
  T_R,
  T_S,
  T_TIP,
  T_TO,
  T_TYPE,
  T_V,
  T_VALUE,
  TX_SIZE,
  W_ADDRESS,
  W_AMOUNT,
  W_BYTES,
  W_INDEX,
  W_VALIDATOR,
} from "../src/chain/scan/records.ts";
import { bytesOf, equalBytes, has } from "./fields.ts";
import { keccak } from "./keccak.ts";
import { fieldsEnd, fieldsStart, recordsEnd, recordsStart, reserve } from "./memory.ts";
import {
  beginRlp,
  closeList,
  headerSize,
  resetRlp,
  rlpLength,
  rlpStart,
  writeByte,
  writeNumber,
  writeString,
} from "./rlp.ts";
import { trieRoot } from "./trie.ts";

/** Bits of what agrees with the hashes in the header. */
const BLOCK_HASH: u32 = 1;
const TRANSACTIONS: u32 = 2;
const RECEIPTS: u32 = 4;
const WITHDRAWALS: u32 = 8;

const scratch: u32 = <u32>memory.data(48, 16);

let header: u32 = 0;
let areHashesRight: bool = false;
let size: u32 = 0;
let withdrawals: u32 = 0;

/** Notes in the header's record which of its hashes are those of the content. False where memory is exhausted. */
export function verify(given: u32): bool {
  header = given;
  const room = 3 * (fieldsEnd - fieldsStart) + (recordsEnd - recordsStart) + 4096;
  if (!reserve(recordsEnd, room)) return false;
  beginRlp(recordsEnd + room);
  let verified: u32 = isHeaderRight() ? BLOCK_HASH : 0;
  const count = load<u32>(header + H_TRANSACTIONS);
  if (count > 0) {
    areHashesRight = true;
    size = 0;
    if (isRoot(count, H_TX_ROOT, writeTransaction) && areHashesRight) verified |= TRANSACTIONS;
    store<u32>(header + H_TX_BYTES, size);
    if (isRoot(count, H_RECEIPTS_ROOT, writeReceipt)) verified |= RECEIPTS;
  }
  if (areWithdrawalsRight()) verified |= WITHDRAWALS;
  store<u32>(header + H_VERIFIED, verified);
  return true;
}

function isRoot(count: u32, root: u32, write: (index: u32) => bool): bool {
  return trieRoot(count, write, scratch) && equalBytes(scratch, bytesOf(header, root), 32);
}

/** A field of the fixed size, empty where there is none. */
function fixed(record: u32, field: u32, size: u32): void {
  if (has(record, field)) writeString(bytesOf(record, field), size);
  else writeByte(0x80);
}

/** A field with its length, empty where there is none. */
function slot(record: u32, field: u32): void {
  writeString(bytesOf(record, field), load<u32>(record + field + 4));
}

function isHeaderRight(): bool {
  resetRlp();
  if (has(header, H_REQUESTS)) fixed(header, H_REQUESTS, 32);
  if (has(header, H_BEACON_ROOT)) fixed(header, H_BEACON_ROOT, 32);
  if (has(header, H_EXCESS_BLOB_GAS)) slot(header, H_EXCESS_BLOB_GAS);
  if (load<u32>(header + H_HAS_BLOB_GAS) !== 0) writeNumber(load<f64>(header + H_BLOB_GAS));
  if (has(header, H_WITHDRAWALS_ROOT)) fixed(header, H_WITHDRAWALS_ROOT, 32);
  if (has(header, H_BASE_FEE)) slot(header, H_BASE_FEE);
  fixed(header, H_NONCE, 8);
  fixed(header, H_MIX_HASH, 32);
  slot(header, H_EXTRA_DATA);
  writeNumber(load<f64>(header + H_TIMESTAMP));
  writeNumber(load<f64>(header + H_GAS_USED));
  slot(header, H_GAS_LIMIT);
  writeNumber(load<f64>(header + H_NUMBER));
  slot(header, H_DIFFICULTY);
  fixed(header, H_BLOOM, 256);
  fixed(header, H_RECEIPTS_ROOT, 32);
  fixed(header, H_TX_ROOT, 32);
  fixed(header, H_STATE_ROOT, 32);
  fixed(header, H_MINER, 20);
  fixed(header, H_SHA3_UNCLES, 32);
  fixed(header, H_PARENT, 32);
  closeList(0);
  keccak(rlpStart(), rlpLength(), scratch);
  return equalBytes(scratch, bytesOf(header, H_HASH), 32);
}

function writeTransaction(index: u32): bool {
  const tx = header + HEADER_SIZE + index * TX_SIZE;
  const type = load<u32>(tx + T_TYPE);
  slot(tx, T_S);
  slot(tx, T_R);
  slot(tx, T_V);
  if (type === 4) writeAuthorizations(tx);
  if (type === 3) {
    writeHashes(bytesOf(tx, T_BLOB_HASHES), load<u32>(tx + T_BLOB_HASHES + 4));
    slot(tx, T_MAX_BLOB_FEE);
  }
  if (type > 0) writeAccessList(tx);
  slot(tx, T_INPUT);
  slot(tx, T_VALUE);
  fixed(tx, T_TO, 20);
  slot(tx, T_GAS);
  if (type < 2) slot(tx, T_GAS_PRICE);
  else {
    slot(tx, T_MAX_FEE);
    slot(tx, T_TIP);
  }
  slot(tx, T_NONCE);
  if (type > 0) slot(tx, T_CHAIN_ID);
  closeList(0);
  if (type > 0) writeByte(type);
  const length = rlpLength();
  size += type === 0 ? length : length + headerSize(length);
  keccak(rlpStart(), length, scratch);
  if (!equalBytes(scratch, bytesOf(tx, T_HASH), 32)) areHashesRight = false;
  return true;
}

function writeHashes(at: u32, count: u32): void {
  const before = rlpLength();
  for (let i = count; i > 0; i--) writeString(at + (i - 1) * 32, 32);
  closeList(before);
}

/** Addresses of the entries of a list, which are found from the first on and written from the last on. */
function entries(start: u32, count: u32, lengthOf: (entry: u32) => u32): u32 {
  let entry = start;
  for (let i: u32 = 0; i < count; i++) {
    store<u32>(recordsEnd + i * 4, entry);
    entry += lengthOf(entry);
  }
  return recordsEnd;
}

function writeAccessList(tx: u32): void {
  const before = rlpLength();
  const count = load<u32>(tx + T_ACCESS + 4);
  const list = entries(bytesOf(tx, T_ACCESS), count, (entry) => ACCESS_SIZE + 32 * load<u32>(entry + 20));
  for (let i = count; i > 0; i--) {
    const entry = load<u32>(list + (i - 1) * 4);
    const entryBefore = rlpLength();
    writeHashes(entry + ACCESS_SIZE, load<u32>(entry + 20));
    writeString(entry, 20);
    closeList(entryBefore);
  }
  closeList(before);
}

function writeAuthorizations(tx: u32): void {
  const before = rlpLength();
  const count = load<u32>(tx + T_AUTHORIZATIONS + 4);
  const list = entries(bytesOf(tx, T_AUTHORIZATIONS), count, (entry) => load<u32>(entry + A_BYTES));
  for (let i = count; i > 0; i--) {
    const entry = load<u32>(list + (i - 1) * 4);
    const entryBefore = rlpLength();
    slot(entry, A_S);
    slot(entry, A_R);
    slot(entry, A_PARITY);
    slot(entry, A_NONCE);
    fixed(entry, A_ADDRESS, 20);
    slot(entry, A_CHAIN_ID);
    closeList(entryBefore);
  }
  closeList(before);
}

function writeReceipt(index: u32): bool {
  const receipt = load<u32>(header + H_RECEIPTS) + index * RECEIPT_SIZE;
  const type = load<u32>(header + HEADER_SIZE + index * TX_SIZE + T_TYPE);
  const logs = load<u32>(header + H_RECEIPTS) + load<u32>(header + H_TRANSACTIONS) * RECEIPT_SIZE;
  const first = load<u32>(receipt + R_FIRST_LOG);
  for (let i = first + load<u32>(receipt + R_LOGS); i > first; i--) writeLog(logs + (i - 1) * LOG_SIZE);
  closeList(0);
  fixed(receipt, R_BLOOM, 256);
  writeNumber(load<f64>(receipt + R_CUMULATIVE));
  const status = load<u32>(receipt + R_STATUS);
  if (status === 2) fixed(receipt, R_ROOT, 32);
  else writeNumber(status);
  closeList(0);
  if (type > 0) writeByte(type);
  return true;
}

function writeLog(log: u32): void {
  const before = rlpLength();
  slot(log, L_DATA);
  writeHashes(bytesOf(log, L_TOPICS), load<u32>(log + L_TOPIC_COUNT));
  fixed(log, L_ADDRESS, 20);
  closeList(before);
}

function areWithdrawalsRight(): bool {
  const count = load<u32>(header + H_WITHDRAWALS + 4);
  if (count === 0 || !has(header, H_WITHDRAWALS_ROOT)) return false;
  withdrawals = entries(bytesOf(header, H_WITHDRAWALS), count, (entry) => load<u32>(entry + W_BYTES));
  return isRoot(count, H_WITHDRAWALS_ROOT, writeWithdrawal);
}

function writeWithdrawal(index: u32): bool {
  const entry = load<u32>(withdrawals + index * 4);
  slot(entry, W_AMOUNT);
  fixed(entry, W_ADDRESS, 20);
  writeNumber(load<f64>(entry + W_VALIDATOR));
  writeNumber(load<f64>(entry + W_INDEX));
  closeList(0);
  return true;
}

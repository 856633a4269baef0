import {
  H_BASE_FEE,
  H_BEACON_ROOT,
  H_BLOB_GAS,
  H_BLOOM,
  H_BYTES,
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
  H_RECEIPTS_ROOT,
  H_REQUESTS,
  H_SHA3_UNCLES,
  H_STATE_ROOT,
  H_TIMESTAMP,
  H_TOTAL_DIFFICULTY,
  H_TRANSACTIONS,
  H_TX_ROOT,
  H_UNCLES,
  H_WITHDRAWALS,
  H_WITHDRAWALS_ROOT,
  HEADER_SIZE,
  T_BLOCK_HASH,
  T_BLOCK_NUMBER,
  T_INDEX,
  T_TIMESTAMP,
  TX_SIZE,
  W_ADDRESS,
  W_AMOUNT,
  W_BYTES,
  W_INDEX,
  W_VALIDATOR,
  WITHDRAWAL_SIZE,
} from "../src/chain/scan/records.ts";
import {
  bytesOf,
  equalBytes,
  has,
  isSame,
  putBytes,
  putFixed,
  putFixedOrNull,
  putNumber,
  putUint,
  putUintOrNull,
} from "./fields.ts";
import { beginKeys, keepKeys, keysOf, readKey, resumeKeys, seen } from "./keys.ts";
import { fieldsEnd, fieldsStart, newRecord, recordsEnd, setFieldsEnd } from "./memory.ts";
import {
  begin,
  fieldLength,
  giveUp,
  isUnknown,
  peek,
  position,
  skipValue,
  takeNext,
  takeNull,
  takeOpen,
} from "./text.ts";
import { readHashes, readTransaction } from "./transaction.ts";

const KEYS = keysOf(
  "number hash parentHash sha3Uncles miner stateRoot transactionsRoot receiptsRoot logsBloom gasLimit gasUsed timestamp extraData mixHash nonce uncles size transactions difficulty baseFeePerGas withdrawalsRoot blobGasUsed excessBlobGas parentBeaconBlockRoot requestsHash totalDifficulty withdrawals",
);
/** All up to `transactions`. The host decodes older blocks without some of them. */
const REQUIRED: u32 = (1 << 18) - 1;
const MAX_UNCLES: u32 = 64;
const MAX_WITHDRAWALS: u32 = 1024;
const MAX_EXTRA_DATA: u32 = 64 << 10;

/** The header's record, after which those of the transactions stand; 0 where the form is unknown. */
export function readBlock(): u32 {
  const header = newRecord(HEADER_SIZE);
  if (header === 0 || !takeOpen(0x7b, 0x7d)) return refuse();
  beginKeys();
  do {
    if (!readField(readKey(KEYS), header)) return refuse();
  } while (takeNext(0x7d));
  if (isUnknown || (seen & REQUIRED) !== REQUIRED || !areOfBlock(header)) return refuse();
  return header;
}

const OUTLINE: u32 = 1 | (1 << 1) | (1 << 17);

/**
 * A header's record with the number, the hash and whether there are transactions, for which the rest is not read. Repeated
 * keys and brackets in strings may deceive it.
 */
export function outlineBlock(): u32 {
  const header = newRecord(HEADER_SIZE);
  if (header === 0 || !takeOpen(0x7b, 0x7d)) return refuse();
  beginKeys();
  do {
    const id = readKey(KEYS);
    if (id < 0) return refuse();
    if (id === 0 || id === 1) readField(id, header);
    else if (id === 17) outlineTransactions(header);
    else skipValue();
    if ((seen & OUTLINE) === OUTLINE) break;
  } while (takeNext(0x7d));
  return isUnknown || (seen & OUTLINE) !== OUTLINE ? refuse() : header;
}

function outlineTransactions(header: u32): void {
  if (peek() !== 0x5b) giveUp();
  const before = position();
  if (takeOpen(0x5b, 0x5d)) store<u32>(header + H_TRANSACTIONS, 1);
  begin(before);
  if ((seen & OUTLINE) !== OUTLINE) skipValue();
}

function refuse(): u32 {
  giveUp();
  return 0;
}

function readField(id: i32, header: u32): bool {
  switch (id) {
    case 0:
      return putNumber(header, H_NUMBER);
    case 1:
      return putFixed(header, H_HASH, 32);
    case 2:
      return putFixed(header, H_PARENT, 32);
    case 3:
      return putFixed(header, H_SHA3_UNCLES, 32);
    case 4:
      return putFixed(header, H_MINER, 20);
    case 5:
      return putFixed(header, H_STATE_ROOT, 32);
    case 6:
      return putFixed(header, H_TX_ROOT, 32);
    case 7:
      return putFixed(header, H_RECEIPTS_ROOT, 32);
    case 8:
      return putFixed(header, H_BLOOM, 256);
    case 9:
      return putUint(header, H_GAS_LIMIT);
    case 10:
      return putNumber(header, H_GAS_USED);
    case 11:
      return putNumber(header, H_TIMESTAMP);
    case 12:
      return putBytes(header, H_EXTRA_DATA) && (fieldLength <= MAX_EXTRA_DATA || giveUp());
    case 13:
      return putFixed(header, H_MIX_HASH, 32);
    case 14:
      return putFixed(header, H_NONCE, 8);
    case 15:
      return readHashes(header, H_UNCLES, MAX_UNCLES);
    case 16:
      return putNumber(header, H_BYTES);
    case 17:
      return readTransactions(header);
    case 18:
      return putUintOrNull(header, H_DIFFICULTY);
    case 19:
      return putUintOrNull(header, H_BASE_FEE);
    case 20:
      return putFixedOrNull(header, H_WITHDRAWALS_ROOT, 32);
    case 21:
      return takeNull() || readBlobGas(header);
    case 22:
      return putUintOrNull(header, H_EXCESS_BLOB_GAS);
    case 23:
      return putFixedOrNull(header, H_BEACON_ROOT, 32);
    case 24:
      return putFixedOrNull(header, H_REQUESTS, 32);
    case 25:
      return putUintOrNull(header, H_TOTAL_DIFFICULTY);
    case 26:
      return takeNull() || readWithdrawals(header);
    default:
      return giveUp();
  }
}

function readBlobGas(header: u32): bool {
  store<u32>(header + H_HAS_BLOB_GAS, 1);
  return putNumber(header, H_BLOB_GAS);
}

function readTransactions(header: u32): bool {
  let count: u32 = 0;
  if (takeOpen(0x5b, 0x5d)) {
    do {
      count++;
      if (!readTransaction()) return giveUp();
    } while (takeNext(0x5d));
  }
  store<u32>(header + H_TRANSACTIONS, count);
  return !isUnknown;
}

const WITHDRAWAL_KEYS = keysOf("index validatorIndex address amount");

function readWithdrawals(header: u32): bool {
  const start = fieldsEnd;
  let count: u32 = 0;
  if (takeOpen(0x5b, 0x5d)) {
    const kept = keepKeys();
    do {
      if (++count > MAX_WITHDRAWALS || !readWithdrawal()) return giveUp();
    } while (takeNext(0x5d));
    resumeKeys(kept);
  }
  store<u32>(header + H_WITHDRAWALS, start - fieldsStart);
  store<u32>(header + H_WITHDRAWALS + 4, count);
  return !isUnknown;
}

function readWithdrawal(): bool {
  const entry = fieldsEnd;
  setFieldsEnd(entry + WITHDRAWAL_SIZE);
  beginKeys();
  if (!takeOpen(0x7b, 0x7d)) return giveUp();
  do {
    if (!readPart(readKey(WITHDRAWAL_KEYS), entry)) return giveUp();
  } while (takeNext(0x7d));
  store<u32>(entry + W_BYTES, fieldsEnd - entry);
  return !isUnknown && (seen === 15 || giveUp());
}

function readPart(id: i32, entry: u32): bool {
  switch (id) {
    case 0:
      return putNumber(entry, W_INDEX);
    case 1:
      return putNumber(entry, W_VALIDATOR);
    case 2:
      return putFixed(entry, W_ADDRESS, 20);
    case 3:
      return putUint(entry, W_AMOUNT);
    default:
      return giveUp();
  }
}

/** Whether what the transactions repeat of their block agrees with it. The fields may come in any order. */
function areOfBlock(header: u32): bool {
  const count = load<u32>(header + H_TRANSACTIONS);
  if (header + HEADER_SIZE + count * TX_SIZE !== recordsEnd) return giveUp();
  const number = load<f64>(header + H_NUMBER);
  const timestamp = load<f64>(header + H_TIMESTAMP);
  for (let index: u32 = 0; index < count; index++) {
    const tx = header + HEADER_SIZE + index * TX_SIZE;
    if (has(tx, T_BLOCK_HASH) && !equalBytes(bytesOf(tx, T_BLOCK_HASH), bytesOf(header, H_HASH), 32)) return false;
    if (!isSame(load<f64>(tx + T_BLOCK_NUMBER), number) || !isSame(load<f64>(tx + T_TIMESTAMP), timestamp))
      return false;
    if (!isSame(load<f64>(tx + T_INDEX), <f64>index)) return false;
  }
  return true;
}

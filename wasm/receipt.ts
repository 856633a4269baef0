import {
  H_HASH,
  H_LOGS,
  H_NUMBER,
  H_RECEIPTS,
  H_TIMESTAMP,
  H_TRANSACTIONS,
  HEADER_SIZE,
  L_ADDRESS,
  L_DATA,
  L_INDEX,
  L_TOPICS,
  LOG_SIZE,
  R_BLOB_GAS,
  R_BLOB_PRICE,
  R_BLOOM,
  R_CONTRACT,
  R_CUMULATIVE,
  R_FIRST_LOG,
  R_FROM,
  R_GAS_USED,
  R_HAS_BLOB_GAS,
  R_LOGS,
  R_PRICE,
  R_ROOT,
  R_STATUS,
  R_TO,
  R_TYPE,
  RECEIPT_SIZE,
  T_FROM,
  T_HASH,
  T_TO,
  TX_SIZE,
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
  putUintOrNull,
} from "./fields.ts";
import { beginKeys, keepKeys, keysOf, readKey, resumeKeys, seen } from "./keys.ts";
import { fieldsEnd, newRecord, setFieldsEnd } from "./memory.ts";
import { giveUp, isUnknown, position, readInto, readNumber, takeFalse, takeNext, takeNull, takeOpen } from "./text.ts";
import { readHashes } from "./transaction.ts";

const KEYS = keysOf(
  "blockHash blockNumber contractAddress cumulativeGasUsed effectiveGasPrice from gasUsed logs logsBloom status to transactionHash transactionIndex type root blobGasUsed blobGasPrice blockTimestamp",
);
/** blockHash, cumulativeGasUsed, from, gasUsed, logs, logsBloom, transactionHash. */
const REQUIRED: u32 = 1 | (1 << 3) | (1 << 5) | (1 << 6) | (1 << 7) | (1 << 8) | (1 << 11);
const STATUS: u32 = 1 << 9;
const ROOT: u32 = 1 << 14;

const LOG_KEYS = keysOf(
  "address topics data blockNumber transactionHash transactionIndex blockHash logIndex removed blockTimestamp",
);
/** address, topics, transactionHash, blockHash, logIndex. */
const LOG_REQUIRED: u32 = 1 | (1 << 1) | (1 << 4) | (1 << 6) | (1 << 7);

/** A repeated hash is compared, not kept. */
const scratch: u32 = <u32>memory.data(32, 16);

let header: u32 = 0;
let tx: u32 = 0;
let index: f64 = 0;
let logs: u32 = 0;

/** The receipts of the block: one for each transaction, in order. */
export function readReceipts(given: u32): bool {
  header = given;
  logs = 0;
  const count = load<u32>(header + H_TRANSACTIONS);
  const receipts = newRecord(count * RECEIPT_SIZE);
  if (receipts === 0) return giveUp();
  store<u32>(header + H_RECEIPTS, receipts);
  let done: u32 = 0;
  if (takeOpen(0x5b, 0x5d)) {
    do {
      if (done === count || !readReceipt(receipts + done * RECEIPT_SIZE, done)) return giveUp();
      done++;
    } while (takeNext(0x5d));
  }
  store<u32>(header + H_LOGS, logs);
  return !isUnknown && (done === count || giveUp());
}

function readReceipt(receipt: u32, at: u32): bool {
  tx = header + HEADER_SIZE + at * TX_SIZE;
  index = <f64>at;
  store<u32>(receipt + R_FIRST_LOG, logs);
  if (!takeOpen(0x7b, 0x7d)) return giveUp();
  beginKeys();
  do {
    if (!readField(readKey(KEYS), receipt)) return giveUp();
  } while (takeNext(0x7d));
  if ((seen & STATUS) === 0) {
    store<u32>(receipt + R_STATUS, 2);
    if ((seen & ROOT) === 0) return giveUp();
  }
  return !isUnknown && ((seen & REQUIRED) === REQUIRED || giveUp());
}

function readField(id: i32, receipt: u32): bool {
  switch (id) {
    case 0:
      return isHash(bytesOf(header, H_HASH));
    case 1:
      return isCopy(load<f64>(header + H_NUMBER));
    case 2:
      return putFixedOrNull(receipt, R_CONTRACT, 20);
    case 3:
      return putNumber(receipt, R_CUMULATIVE);
    case 4:
      return putUintOrNull(receipt, R_PRICE);
    case 5:
      return putParty(receipt, R_FROM, T_FROM);
    case 6:
      return putNumber(receipt, R_GAS_USED);
    case 7:
      return readLogs(receipt);
    case 8:
      return putFixed(receipt, R_BLOOM, 256);
    case 9:
      return readStatus(receipt);
    case 10:
      return takeNull() || putParty(receipt, R_TO, T_TO);
    case 11:
      return isHash(bytesOf(tx, T_HASH));
    case 12:
      return isCopy(index);
    case 13:
      return takeNull() || readType(receipt);
    case 14:
      return putFixed(receipt, R_ROOT, 32);
    case 15:
      return takeNull() || readBlobGas(receipt);
    case 16:
      return putUintOrNull(receipt, R_BLOB_PRICE);
    case 17:
      return isCopy(load<f64>(header + H_TIMESTAMP));
    default:
      return giveUp();
  }
}

function isHash(expected: u32): bool {
  return readInto(scratch, 32) && (equalBytes(scratch, expected, 32) || giveUp());
}

function isCopy(value: f64): bool {
  if (takeNull()) return true;
  const copy = readNumber();
  return !isUnknown && (isSame(copy, value) || giveUp());
}

/** Shares the bytes with the transaction's where they are equal. */
function putParty(receipt: u32, field: u32, ofTransaction: u32): bool {
  const before = fieldsEnd;
  if (!putFixed(receipt, field, 20)) return false;
  if (has(tx, ofTransaction) && equalBytes(bytesOf(receipt, field), bytesOf(tx, ofTransaction), 20)) {
    store<u32>(receipt + field, load<u32>(tx + ofTransaction));
    setFieldsEnd(before);
  }
  return true;
}

function readType(receipt: u32): bool {
  const type = readNumber();
  store<u32>(receipt + R_TYPE, <u32>type);
  return !isUnknown && (type <= 255 || giveUp());
}

/** Only the usual spellings, `"0x0"` and `"0x1"`. */
function readStatus(receipt: u32): bool {
  const before = position();
  const status = readNumber();
  store<u32>(receipt + R_STATUS, <u32>status);
  return !isUnknown && ((status <= 1 && isShort(before)) || giveUp());
}

/** Whether the string that ends at the cursor has one digit. */
function isShort(before: u32): bool {
  const quote = position() - 5;
  return quote >= before && load<u8>(quote) === 0x22;
}

function readBlobGas(receipt: u32): bool {
  store<u32>(receipt + R_HAS_BLOB_GAS, 1);
  return putNumber(receipt, R_BLOB_GAS);
}

function readLogs(receipt: u32): bool {
  let count: u32 = 0;
  if (takeOpen(0x5b, 0x5d)) {
    const kept = keepKeys();
    do {
      count++;
      if (!readLog()) return giveUp();
    } while (takeNext(0x5d));
    resumeKeys(kept);
  }
  store<u32>(receipt + R_LOGS, count);
  logs += count;
  return !isUnknown;
}

function readLog(): bool {
  const log = newRecord(LOG_SIZE);
  if (log === 0 || !takeOpen(0x7b, 0x7d)) return giveUp();
  beginKeys();
  do {
    if (!readLogField(readKey(LOG_KEYS), log)) return giveUp();
  } while (takeNext(0x7d));
  return !isUnknown && ((seen & LOG_REQUIRED) === LOG_REQUIRED || giveUp());
}

function readLogField(id: i32, log: u32): bool {
  switch (id) {
    case 0:
      return putFixed(log, L_ADDRESS, 20);
    case 1:
      return readHashes(log, L_TOPICS, 4);
    case 2:
      return putBytes(log, L_DATA);
    case 3:
      return isCopy(load<f64>(header + H_NUMBER));
    case 4:
      return isHash(bytesOf(tx, T_HASH));
    case 5:
      return isCopy(index);
    case 6:
      return isHash(bytesOf(header, H_HASH));
    case 7:
      return putNumber(log, L_INDEX);
    case 8:
      return takeNull() || takeFalse() || giveUp();
    case 9:
      return isCopy(load<f64>(header + H_TIMESTAMP));
    default:
      return giveUp();
  }
}

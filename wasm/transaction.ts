import {
  A_ADDRESS,
  A_BYTES,
  A_CHAIN_ID,
  A_NONCE,
  A_PARITY,
  A_R,
  A_S,
  ACCESS_SIZE,
  AUTHORIZATION_SIZE,
  T_ACCESS,
  T_AUTHORIZATIONS,
  T_BLOB_HASHES,
  T_BLOCK_HASH,
  T_BLOCK_NUMBER,
  T_CHAIN_ID,
  T_FROM,
  T_GAS,
  T_GAS_PRICE,
  T_HASH,
  T_INDEX,
  T_INPUT,
  T_MAX_BLOB_FEE,
  T_MAX_FEE,
  T_NONCE,
  T_PARITY,
  T_R,
  T_S,
  T_TIMESTAMP,
  T_TIP,
  T_TO,
  T_TYPE,
  T_V,
  T_VALUE,
  TX_SIZE,
} from "../src/chain/scan/records.ts";
import {
  bytesOf,
  equalBytes,
  has,
  putBytes,
  putCopy,
  putFixed,
  putFixedOrNull,
  putUint,
  putUintOrNull,
} from "./fields.ts";
import { beginKeys, keepKeys, keysOf, readKey, resumeKeys, seen } from "./keys.ts";
import { fieldsEnd, fieldsStart, newRecord, setFieldsEnd } from "./memory.ts";
import { giveUp, isUnknown, readFixed, readInto, readNumber, takeNext, takeNull, takeOpen } from "./text.ts";

const KEYS = keysOf(
  "blockHash blockNumber from gas gasPrice maxFeePerGas maxPriorityFeePerGas hash input nonce to transactionIndex value type accessList chainId v r s yParity blockTimestamp maxFeePerBlobGas blobVersionedHashes authorizationList",
);
/** from, gas, hash, input, nonce, value, v, r, s. */
const REQUIRED: u32 =
  (1 << 2) | (1 << 3) | (1 << 7) | (1 << 8) | (1 << 9) | (1 << 12) | (1 << 16) | (1 << 17) | (1 << 18);

export function readTransaction(): bool {
  const tx = newRecord(TX_SIZE);
  if (tx === 0 || !takeOpen(0x7b, 0x7d)) return giveUp();
  store<f64>(tx + T_BLOCK_NUMBER, NaN);
  store<f64>(tx + T_TIMESTAMP, NaN);
  store<f64>(tx + T_INDEX, NaN);
  const kept = keepKeys();
  beginKeys();
  do {
    if (!readField(readKey(KEYS), tx)) return giveUp();
  } while (takeNext(0x7d));
  const isWhole = (seen & REQUIRED) === REQUIRED;
  resumeKeys(kept);
  if (isUnknown || !isWhole) return giveUp();
  return hasOneParity(tx) || giveUp();
}

/** Typed transactions may name the parity twice. */
function hasOneParity(tx: u32): bool {
  if (load<u32>(tx + T_TYPE) === 0 || !has(tx, T_PARITY)) return true;
  const length = load<u32>(tx + T_V + 4);
  return length === load<u32>(tx + T_PARITY + 4) && equalBytes(bytesOf(tx, T_V), bytesOf(tx, T_PARITY), length);
}

function readField(id: i32, tx: u32): bool {
  switch (id) {
    case 0:
      return putFixed(tx, T_BLOCK_HASH, 32);
    case 1:
      return putCopy(tx, T_BLOCK_NUMBER);
    case 2:
      return putFixed(tx, T_FROM, 20);
    case 3:
      return putUint(tx, T_GAS);
    case 4:
      return putUintOrNull(tx, T_GAS_PRICE);
    case 5:
      return putUintOrNull(tx, T_MAX_FEE);
    case 6:
      return putUintOrNull(tx, T_TIP);
    case 7:
      return putFixed(tx, T_HASH, 32);
    case 8:
      return putBytes(tx, T_INPUT);
    case 9:
      return putUint(tx, T_NONCE);
    case 10:
      return putFixedOrNull(tx, T_TO, 20);
    case 11:
      return putCopy(tx, T_INDEX);
    case 12:
      return putUint(tx, T_VALUE);
    case 13:
      return readType(tx);
    case 14:
      return takeNull() || readAccessList(tx);
    case 15:
      return putUintOrNull(tx, T_CHAIN_ID);
    case 16:
      return putUint(tx, T_V);
    case 17:
      return putUint(tx, T_R);
    case 18:
      return putUint(tx, T_S);
    case 19:
      return putUint(tx, T_PARITY);
    case 20:
      return putCopy(tx, T_TIMESTAMP);
    case 21:
      return putUintOrNull(tx, T_MAX_BLOB_FEE);
    case 22:
      return takeNull() || readHashes(tx, T_BLOB_HASHES, 0xffff);
    case 23:
      return takeNull() || readAuthorizations(tx);
    default:
      return giveUp();
  }
}

/** The encoding of later types is not known. */
function readType(tx: u32): bool {
  if (takeNull()) return true;
  const type = readNumber();
  store<u32>(tx + T_TYPE, <u32>type);
  return !isUnknown && (type <= 4 || giveUp());
}

/** A list of hashes, one after another among the fields. */
export function readHashes(record: u32, field: u32, atMost: u32): bool {
  const start = fieldsEnd;
  let count: u32 = 0;
  if (takeOpen(0x5b, 0x5d)) {
    do {
      if (++count > atMost || readFixed(32) === 0) return giveUp();
    } while (takeNext(0x5d));
  }
  store<u32>(record + field, start - fieldsStart);
  store<u32>(record + field + 4, count);
  return !isUnknown;
}

const ACCESS_KEYS = keysOf("address storageKeys");

function readAccessList(tx: u32): bool {
  const start = fieldsEnd;
  let count: u32 = 0;
  if (takeOpen(0x5b, 0x5d)) {
    const kept = keepKeys();
    do {
      count++;
      if (!readAccess()) return giveUp();
    } while (takeNext(0x5d));
    resumeKeys(kept);
  }
  store<u32>(tx + T_ACCESS, start - fieldsStart);
  store<u32>(tx + T_ACCESS + 4, count);
  return !isUnknown;
}

function readAccess(): bool {
  const entry = fieldsEnd;
  setFieldsEnd(entry + ACCESS_SIZE);
  beginKeys();
  if (!takeOpen(0x7b, 0x7d)) return giveUp();
  do {
    const id = readKey(ACCESS_KEYS);
    if (id < 0) return false;
    if (id === 0 ? !readInto(entry, 20) : !readKeysOfStorage(entry)) return false;
  } while (takeNext(0x7d));
  return !isUnknown && (seen === 3 || giveUp());
}

function readKeysOfStorage(entry: u32): bool {
  let count: u32 = 0;
  if (takeOpen(0x5b, 0x5d)) {
    do {
      count++;
      if (readFixed(32) === 0) return false;
    } while (takeNext(0x5d));
  }
  store<u32>(entry + 20, count);
  return !isUnknown;
}

const AUTHORIZATION_KEYS = keysOf("chainId address nonce yParity r s");

function readAuthorizations(tx: u32): bool {
  const start = fieldsEnd;
  let count: u32 = 0;
  if (takeOpen(0x5b, 0x5d)) {
    const kept = keepKeys();
    do {
      count++;
      if (!readAuthorization()) return giveUp();
    } while (takeNext(0x5d));
    resumeKeys(kept);
  }
  store<u32>(tx + T_AUTHORIZATIONS, start - fieldsStart);
  store<u32>(tx + T_AUTHORIZATIONS + 4, count);
  return !isUnknown;
}

function readAuthorization(): bool {
  const entry = fieldsEnd;
  setFieldsEnd(entry + AUTHORIZATION_SIZE);
  beginKeys();
  if (!takeOpen(0x7b, 0x7d)) return giveUp();
  do {
    if (!readPart(readKey(AUTHORIZATION_KEYS), entry)) return giveUp();
  } while (takeNext(0x7d));
  store<u32>(entry + A_BYTES, fieldsEnd - entry);
  return !isUnknown && (seen === 63 || giveUp());
}

function readPart(id: i32, entry: u32): bool {
  switch (id) {
    case 0:
      return putUint(entry, A_CHAIN_ID);
    case 1:
      return putFixed(entry, A_ADDRESS, 20);
    case 2:
      return putUint(entry, A_NONCE);
    case 3:
      return putUint(entry, A_PARITY);
    case 4:
      return putUint(entry, A_R);
    case 5:
      return putUint(entry, A_S);
    default:
      return giveUp();
  }
}

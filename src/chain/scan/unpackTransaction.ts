import type { AccessListEntry, Authorization, Transaction } from "../block/transaction.ts";
import type { Draft } from "../encoding/wire.ts";
import type { PackedReader } from "./packed.ts";
import * as R from "./records.ts";

export function unpackTransaction(reader: PackedReader, at: number): Transaction {
  const tx: Draft<Transaction> = {
    type: reader.word(at + R.T_TYPE),
    hash: reader.fixed(at + R.T_HASH, 32),
    from: reader.fixed(at + R.T_FROM, 20),
    to: reader.fixedOrNull(at + R.T_TO, 20),
    nonce: reader.slot(at + R.T_NONCE),
    gas: reader.slot(at + R.T_GAS),
    value: reader.slot(at + R.T_VALUE),
    input: reader.slot(at + R.T_INPUT),
    v: reader.slot(at + R.T_V),
    r: reader.slot(at + R.T_R),
    s: reader.slot(at + R.T_S),
  };
  if (reader.has(at + R.T_GAS_PRICE)) tx.gasPrice = reader.slot(at + R.T_GAS_PRICE);
  if (reader.has(at + R.T_MAX_FEE)) tx.maxFeePerGas = reader.slot(at + R.T_MAX_FEE);
  if (reader.has(at + R.T_TIP)) tx.maxPriorityFeePerGas = reader.slot(at + R.T_TIP);
  if (reader.has(at + R.T_MAX_BLOB_FEE)) tx.maxFeePerBlobGas = reader.slot(at + R.T_MAX_BLOB_FEE);
  if (reader.has(at + R.T_CHAIN_ID)) tx.chainId = reader.slot(at + R.T_CHAIN_ID);
  // Nodes may omit an empty access list, which is part of the hash.
  if (reader.has(at + R.T_ACCESS)) tx.accessList = unpackAccessList(reader, at + R.T_ACCESS);
  else if (tx.type > 0) tx.accessList = [];
  if (reader.has(at + R.T_BLOB_HASHES)) tx.blobVersionedHashes = unpackHashes(reader, at + R.T_BLOB_HASHES);
  if (reader.has(at + R.T_AUTHORIZATIONS)) tx.authorizationList = unpackAuthorizations(reader, at + R.T_AUTHORIZATIONS);
  return tx;
}

/** A list of hashes that stand one after another. */
export function unpackHashes(reader: PackedReader, at: number): Uint8Array[] {
  return hashesFrom(reader, reader.word(at), reader.word(at + 4));
}

function hashesFrom(reader: PackedReader, start: number, count: number): Uint8Array[] {
  return Array.from({ length: count }, (_, index) => reader.bytes(start + index * 32, 32));
}

function unpackAccessList(reader: PackedReader, at: number): AccessListEntry[] {
  const { entries } = reader;
  let entry = reader.word(at);
  return Array.from({ length: reader.word(at + 4) }, () => {
    const count = entries.getUint32(entry + 20, true);
    const [address, keys] = [reader.bytes(entry, 20), entry + R.ACCESS_SIZE];
    entry = keys + 32 * count;
    return { address, storageKeys: hashesFrom(reader, keys, count) };
  });
}

function unpackAuthorizations(reader: PackedReader, at: number): Authorization[] {
  const { entries } = reader;
  let entry = reader.word(at);
  return Array.from({ length: reader.word(at + 4) }, () => {
    const word = (field: number) => entries.getUint32(entry + field, true);
    const uint = (field: number) => reader.bytes(word(field), word(field + 4));
    const authorization = {
      chainId: uint(R.A_CHAIN_ID),
      address: reader.bytes(word(R.A_ADDRESS), 20),
      nonce: uint(R.A_NONCE),
      yParity: uint(R.A_PARITY),
      r: uint(R.A_R),
      s: uint(R.A_S),
    };
    entry += word(R.A_BYTES);
    return authorization;
  });
}

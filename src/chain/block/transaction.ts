import type { AddressBytes, Bytes, Hash } from "../encoding/bytes.ts";
import type { ExtraFields } from "../encoding/extra.ts";
import type { RlpWriter } from "../encoding/rlp.ts";
import type { Uint } from "../encoding/uint.ts";
import type { Draft, Wire, WireReader } from "../encoding/wire.ts";
import { compareCopy, expectSame, readArray, readNumber, readObject } from "../encoding/wire.ts";
import { SIDECAR_FIELDS } from "./sidecar.ts";

export interface AccessListEntry {
  readonly address: AddressBytes;
  readonly storageKeys: readonly Hash[];
}

export interface Authorization {
  readonly chainId: Uint;
  readonly address: AddressBytes;
  readonly nonce: Uint;
  readonly yParity: Uint;
  readonly r: Uint;
  readonly s: Uint;
}

export interface Transaction extends ExtraFields {
  readonly type: number;
  readonly hash: Hash;
  readonly from: AddressBytes;
  readonly to: AddressBytes | null;
  readonly nonce: Uint;
  readonly gas: Uint;
  readonly value: Uint;
  readonly input: Bytes;
  /** Bid of types 0 and 1; nodes report the effective price for later types. */
  readonly gasPrice?: Uint;
  readonly maxFeePerGas?: Uint;
  readonly maxPriorityFeePerGas?: Uint;
  readonly maxFeePerBlobGas?: Uint;
  readonly chainId?: Uint;
  /** Parity for typed transactions, 27 and above for legacy ones. */
  readonly v: Uint;
  readonly r: Uint;
  readonly s: Uint;
  readonly accessList?: readonly AccessListEntry[];
  readonly blobVersionedHashes?: readonly Hash[];
  readonly authorizationList?: readonly Authorization[];
}

export interface Inclusion {
  readonly blockHash: unknown;
  readonly blockNumber: unknown;
  readonly timestamp: unknown;
  readonly index: number;
  /** Receives contradictions. */
  readonly mismatches: string[];
}

const KNOWN = new Set(
  `blockHash blockNumber blockTimestamp transactionIndex type hash from to nonce gas value input gasPrice maxFeePerGas
   maxPriorityFeePerGas maxFeePerBlobGas chainId v r s yParity accessList blobVersionedHashes authorizationList`.split(
    /\s+/,
  ),
);

const KNOWN_OF_BLOBS: ReadonlySet<string> = new Set([...KNOWN, ...SIDECAR_FIELDS]);

export function isKnownType(type: number): boolean {
  return type <= 4;
}

export function decodeTransaction(wire: Wire, reader: WireReader, at?: Inclusion): Transaction {
  if (at !== undefined) expectInclusion(wire, at);
  const type = wire.type === undefined || wire.type === null ? 0 : readNumber(wire.type, "transaction.type");
  const v = reader.uint(wire.v ?? wire.yParity ?? "0x0", "transaction.v");
  if (at !== undefined && type > 0 && isKnownType(type))
    compareCopy(wire.yParity, wire.v ?? wire.yParity, "transaction.yParity", at.mismatches);
  const tx: Draft<Transaction> = {
    type,
    hash: reader.hash(wire.hash, "transaction.hash"),
    from: reader.address(wire.from, "transaction.from"),
    to: wire.to === null || wire.to === undefined ? null : reader.address(wire.to, "transaction.to"),
    nonce: reader.uint(wire.nonce, "transaction.nonce"),
    gas: reader.uint(wire.gas, "transaction.gas"),
    value: reader.uint(wire.value, "transaction.value"),
    input: reader.bytes(wire.input, "transaction.input"),
    v,
    r: reader.uint(wire.r ?? "0x0", "transaction.r"),
    s: reader.uint(wire.s ?? "0x0", "transaction.s"),
  };
  for (const key of UINTS) {
    const value = wire[key];
    if (value !== undefined && value !== null) tx[key] = reader.uint(value, key);
  }
  decodeLists(wire, reader, tx);
  const extra = reader.extras.read(wire, type === 3 ? KNOWN_OF_BLOBS : KNOWN, "transaction");
  return extra === undefined ? tx : { ...tx, ...extra };
}

function expectInclusion(wire: Wire, at: Inclusion): void {
  expectSame(wire.blockHash, at.blockHash, "transaction.blockHash");
  compareCopy(wire.blockNumber, at.blockNumber, "transaction.blockNumber", at.mismatches);
  compareCopy(wire.blockTimestamp, at.timestamp, "transaction.blockTimestamp", at.mismatches);
  compareCopy(wire.transactionIndex, at.index, "transaction.transactionIndex", at.mismatches);
}

const UINTS = ["gasPrice", "maxFeePerGas", "maxPriorityFeePerGas", "maxFeePerBlobGas", "chainId"] as const;

function decodeLists(wire: Wire, reader: WireReader, tx: Draft<Transaction>): void {
  // Nodes may omit an empty access list, which is part of the hash.
  const accessList = wire.accessList ?? (tx.type > 0 && isKnownType(tx.type) ? [] : undefined);
  if (accessList !== undefined) {
    tx.accessList = readArray(accessList, "accessList").map((entry) => decodeAccess(entry, reader));
  }
  if (wire.blobVersionedHashes) {
    const hashes = readArray(wire.blobVersionedHashes, "blobVersionedHashes");
    tx.blobVersionedHashes = hashes.map((hash) => reader.hash(hash, "blobVersionedHashes"));
  }
  if (wire.authorizationList) {
    const entries = readArray(wire.authorizationList, "authorizationList");
    tx.authorizationList = entries.map((entry) => decodeAuthorization(entry, reader));
  }
}

function decodeAccess(value: unknown, reader: WireReader): AccessListEntry {
  const wire = readObject(value, "accessList");
  return {
    address: reader.address(wire.address, "accessList.address"),
    storageKeys: readArray(wire.storageKeys, "accessList.storageKeys").map((key) =>
      reader.hash(key, "accessList.storageKeys"),
    ),
  };
}

function decodeAuthorization(value: unknown, reader: WireReader): Authorization {
  const wire = readObject(value, "authorizationList");
  return {
    chainId: reader.uint(wire.chainId, "authorizationList.chainId"),
    address: reader.address(wire.address, "authorizationList.address"),
    nonce: reader.uint(wire.nonce, "authorizationList.nonce"),
    yParity: reader.uint(wire.yParity ?? wire.v, "authorizationList.yParity"),
    r: reader.uint(wire.r, "authorizationList.r"),
    s: reader.uint(wire.s, "authorizationList.s"),
  };
}

/** Consensus encoding and hash preimage: legacy RLP, or type || RLP (EIP-2718). */
export function writeTransaction(tx: Transaction, writer: RlpWriter): void {
  const start = writer.length;
  writer.uint(tx.s);
  writer.uint(tx.r);
  writer.uint(tx.v);
  if (tx.type === 4) writer.list(tx.authorizationList ?? [], writeAuthorization);
  if (tx.type === 3) {
    writer.list(tx.blobVersionedHashes ?? [], writeHash);
    writer.uint(need(tx.maxFeePerBlobGas));
  }
  if (tx.type > 0) writer.list(tx.accessList ?? [], writeAccess);
  writer.string(tx.input);
  writer.uint(tx.value);
  if (tx.to === null) writer.byte(0x80);
  else writer.string(tx.to);
  writer.uint(tx.gas);
  if (tx.type < 2) {
    writer.uint(need(tx.gasPrice));
  } else {
    writer.uint(need(tx.maxFeePerGas));
    writer.uint(need(tx.maxPriorityFeePerGas));
  }
  writer.uint(tx.nonce);
  if (tx.type > 0) writer.uint(need(tx.chainId));
  writer.closeList(start);
  if (tx.type > 0) writer.byte(tx.type);
}

function writeAccess(entry: AccessListEntry, writer: RlpWriter): void {
  const start = writer.length;
  writer.list(entry.storageKeys, writeHash);
  writer.string(entry.address);
  writer.closeList(start);
}

function writeHash(hash: Bytes, writer: RlpWriter): void {
  writer.string(hash);
}

function writeAuthorization(entry: Authorization, writer: RlpWriter): void {
  const start = writer.length;
  writer.uint(entry.s);
  writer.uint(entry.r);
  writer.uint(entry.yParity);
  writer.uint(entry.nonce);
  writer.string(entry.address);
  writer.uint(entry.chainId);
  writer.closeList(start);
}

const NOTHING: Uint = new Uint8Array(0);

/** A missing required field encodes as empty, and the hash check reports it. */
function need(value: Uint | undefined): Uint {
  return value ?? NOTHING;
}

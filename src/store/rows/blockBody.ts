import type { BlockSums } from "../../chain/block/fees.ts";
import type { Header, Withdrawal } from "../../chain/block/header.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { uintFromBigInt, uintToBigInt } from "../../chain/encoding/uint.ts";
import type { Draft } from "../../chain/encoding/wire.ts";
import type { ExactSum } from "../../std/numbers.ts";
import { ByteReader, ByteWriter } from "./encoding.ts";

/** Cumulative totals in each block row, so they unwind with it. */
export interface Totals {
  readonly transactions: number;
  readonly logs: number;
  readonly addresses: number;
  readonly signatures: number;
  readonly contracts: number;
  readonly gasUsed: ExactSum;
}

export const NO_TOTALS: Totals = { transactions: 0, logs: 0, addresses: 0, signatures: 0, contracts: 0, gasUsed: 0 };

const UINTS = ["baseFeePerGas", "excessBlobGas", "totalDifficulty"] as const;
const HASHES = ["withdrawalsRoot", "parentBeaconBlockRoot", "requestsHash"] as const;
const HAS_BLOB_GAS = 64;
const HAS_WITHDRAWALS = 128;
const HAS_EXTRA = 256;

export function writeHeaderBody(header: Header, sums: BlockSums): Bytes {
  const writer = new ByteWriter(1024);
  const flags = flagsOf(header);
  writer.varint(flags);
  for (const hash of fixedHashes(header)) writer.raw(hash);
  writer.raw(header.miner);
  writer.raw(header.logsBloom);
  writer.raw(header.nonce);
  writer.string(header.difficulty);
  writer.string(header.gasLimit);
  writer.varint(header.gasUsed);
  writer.varint(header.timestamp);
  writer.string(header.extraData);
  writer.varint(header.size);
  writer.varint(header.uncles.length);
  for (const hash of header.uncles) writer.raw(hash);
  for (const key of UINTS) if (header[key] !== undefined) writer.string(header[key]);
  for (const key of HASHES) if (header[key] !== undefined) writer.raw(header[key]);
  if (header.blobGasUsed !== undefined) writer.varint(header.blobGasUsed);
  if (header.withdrawals !== undefined) writeWithdrawals(header.withdrawals, writer);
  if (header.extra !== undefined) writer.extra(header);
  for (const count of [sums.transactions, sums.logs, sums.blobTransactions]) writer.varint(count);
  for (const amount of [sums.fees, sums.blobFees]) writer.string(uintFromBigInt(amount));
  return writer.copy();
}

function fixedHashes(header: Header): Bytes[] {
  const { hash, parentHash, sha3Uncles, stateRoot, transactionsRoot, receiptsRoot, mixHash } = header;
  return [hash, parentHash, sha3Uncles, stateRoot, transactionsRoot, receiptsRoot, mixHash];
}

function flagsOf(header: Header): number {
  let flags = 0;
  UINTS.forEach((key, i) => {
    if (header[key] !== undefined) flags |= 1 << i;
  });
  HASHES.forEach((key, i) => {
    if (header[key] !== undefined) flags |= 8 << i;
  });
  if (header.blobGasUsed !== undefined) flags |= HAS_BLOB_GAS;
  if (header.withdrawals !== undefined) flags |= HAS_WITHDRAWALS;
  if (header.extra !== undefined) flags |= HAS_EXTRA;
  return flags;
}

function writeWithdrawals(withdrawals: readonly Withdrawal[], writer: ByteWriter): void {
  writer.varint(withdrawals.length);
  for (const { index, validatorIndex, address, amount } of withdrawals) {
    writer.varint(index);
    writer.varint(validatorIndex);
    writer.raw(address);
    writer.string(amount);
  }
}

export function readHeaderBody(number: number, body: Bytes): { header: Header; sums: BlockSums } {
  const reader = new ByteReader(body);
  const flags = reader.varint();
  const header: Draft<Header> = {
    number,
    hash: reader.raw(32),
    parentHash: reader.raw(32),
    sha3Uncles: reader.raw(32),
    stateRoot: reader.raw(32),
    transactionsRoot: reader.raw(32),
    receiptsRoot: reader.raw(32),
    mixHash: reader.raw(32),
    miner: reader.raw(20),
    logsBloom: reader.raw(256),
    nonce: reader.raw(8),
    difficulty: reader.string(),
    gasLimit: reader.string(),
    gasUsed: reader.varint(),
    timestamp: reader.varint(),
    extraData: reader.string(),
    size: reader.varint(),
    uncles: reader.many(() => reader.raw(32)),
  };
  UINTS.forEach((key, i) => {
    if (flags & (1 << i)) header[key] = reader.string();
  });
  HASHES.forEach((key, i) => {
    if (flags & (8 << i)) header[key] = reader.raw(32);
  });
  if (flags & HAS_BLOB_GAS) header.blobGasUsed = reader.varint();
  if (flags & HAS_WITHDRAWALS) header.withdrawals = reader.many(() => readWithdrawal(reader));
  if (flags & HAS_EXTRA) Object.assign(header, reader.extra());
  return { header, sums: readSums(reader) };
}

export type BlockStamp = Pick<Header, "number" | "hash" | "timestamp">;

export function readBlockStamp(number: number, body: Bytes): BlockStamp {
  const reader = new ByteReader(body);
  reader.varint();
  // A copy: cached stamps must not retain the body.
  const hash = reader.raw(32).slice();
  reader.skip(6 * 32 + 20 + 256 + 8);
  reader.skipString();
  reader.skipString();
  reader.varint();
  return { number, hash, timestamp: reader.varint() };
}

function readSums(reader: ByteReader): BlockSums {
  return {
    transactions: reader.varint(),
    logs: reader.varint(),
    blobTransactions: reader.varint(),
    fees: uintToBigInt(reader.string()),
    blobFees: uintToBigInt(reader.string()),
  };
}

function readWithdrawal(reader: ByteReader): Withdrawal {
  return {
    index: reader.varint(),
    validatorIndex: reader.varint(),
    address: reader.raw(20),
    amount: reader.string(),
  };
}

const COUNTS = ["transactions", "logs", "addresses", "signatures", "contracts"] as const;

export function writeTotals(totals: Totals): Bytes {
  const writer = new ByteWriter(64);
  for (const key of COUNTS) writer.varint(totals[key]);
  writer.sum(totals.gasUsed);
  return writer.copy();
}

export function readTotals(bytes: Bytes): Totals {
  const reader = new ByteReader(bytes);
  const totals: Draft<Totals> = { ...NO_TOTALS };
  for (const key of COUNTS) totals[key] = reader.varint();
  totals.gasUsed = reader.sum();
  return totals;
}

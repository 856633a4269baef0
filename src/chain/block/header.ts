import type { Flavour } from "../../std/values.ts";
import type { AddressBytes, Bytes, Hash } from "../encoding/bytes.ts";
import { equalBytes } from "../encoding/bytes.ts";
import type { ExtraFields } from "../encoding/extra.ts";
import { fromHex } from "../encoding/hex.ts";
import { isHash } from "../encoding/parse.ts";
import { RlpWriter } from "../encoding/rlp.ts";
import type { Uint } from "../encoding/uint.ts";
import { uintFromBigInt } from "../encoding/uint.ts";
import type { Draft, Wire, WireReader } from "../encoding/wire.ts";
import { readArray, readNumber, readObject } from "../encoding/wire.ts";
import { asChainError } from "../error.ts";
import { keccak256 } from "../hashing/keccak.ts";
import { orderedTrieRoot } from "../hashing/trie.ts";

export interface Withdrawal {
  readonly index: number;
  readonly validatorIndex: number;
  readonly address: AddressBytes;
  readonly amount: Uint;
}

export type BlockNumber = Flavour<number, "block number">;

export interface Header extends ExtraFields {
  readonly number: BlockNumber;
  readonly hash: Hash;
  readonly parentHash: Hash;
  readonly sha3Uncles: Hash;
  readonly miner: AddressBytes;
  readonly stateRoot: Hash;
  readonly transactionsRoot: Hash;
  readonly receiptsRoot: Hash;
  readonly logsBloom: Bytes;
  readonly difficulty: Uint;
  readonly gasLimit: Uint;
  readonly gasUsed: number;
  readonly timestamp: number;
  readonly extraData: Bytes;
  readonly mixHash: Hash;
  readonly nonce: Bytes;
  readonly baseFeePerGas?: Uint;
  readonly withdrawalsRoot?: Hash;
  readonly blobGasUsed?: number;
  readonly excessBlobGas?: Uint;
  readonly parentBeaconBlockRoot?: Hash;
  readonly requestsHash?: Hash;
  readonly size: number;
  readonly totalDifficulty?: Uint;
  readonly uncles: readonly Hash[];
  readonly withdrawals?: readonly Withdrawal[];
}

type Linked = Pick<Header, "number" | "parentHash">;

/** True if the block has no parent hash: hardhat omits it for most blocks of `hardhat_mine`. */
export function isDetached({ number, parentHash }: Linked): boolean {
  return number > 0 && parentHash.every((byte) => byte === 0);
}

/** Whether a block may extend another. For a detached block only the node can tell. */
export function canStandOn(header: Linked, below: Pick<Header, "number" | "hash">): boolean {
  return header.number === below.number + 1 && (equalBytes(header.parentHash, below.hash) || isDetached(header));
}

const KNOWN = new Set(
  `number hash parentHash sha3Uncles miner stateRoot transactionsRoot receiptsRoot logsBloom difficulty gasLimit gasUsed
   timestamp extraData mixHash nonce baseFeePerGas withdrawalsRoot blobGasUsed excessBlobGas parentBeaconBlockRoot
   requestsHash size totalDifficulty uncles withdrawals transactions`.split(/\s+/),
);

/** Ethereum allows 32 bytes; some chains store validator lists. */
const MAX_EXTRA_DATA = 64 << 10;
const MAX_UNCLES = 64;
const MAX_WITHDRAWALS = 1024;

/** Unreadable fields that nothing depends on are skipped and noted. */
export function decodeHeader(wire: Wire, reader: WireReader, mismatches: string[] = []): Header {
  const header: Draft<Header> = {
    number: readNumber(wire.number, "block.number"),
    hash: reader.hash(wire.hash, "block.hash"),
    parentHash: reader.hash(wire.parentHash, "block.parentHash"),
    sha3Uncles: reader.hash(wire.sha3Uncles, "block.sha3Uncles"),
    miner: reader.address(wire.miner, "block.miner"),
    stateRoot: reader.hash(wire.stateRoot, "block.stateRoot"),
    transactionsRoot: reader.hash(wire.transactionsRoot, "block.transactionsRoot"),
    receiptsRoot: reader.hash(wire.receiptsRoot, "block.receiptsRoot"),
    logsBloom: reader.bytes(wire.logsBloom, "block.logsBloom", 256),
    difficulty: reader.uint(wire.difficulty ?? "0x0", "block.difficulty"),
    gasLimit: reader.uint(wire.gasLimit, "block.gasLimit"),
    gasUsed: readNumber(wire.gasUsed, "block.gasUsed"),
    timestamp: readNumber(wire.timestamp, "block.timestamp"),
    extraData: reader.bytes(wire.extraData, "block.extraData", undefined, MAX_EXTRA_DATA),
    mixHash: reader.hash(wire.mixHash ?? `0x${"0".repeat(64)}`, "block.mixHash"),
    nonce: reader.bytes(wire.nonce ?? "0x0000000000000000", "block.nonce", 8),
    size: readOr(0, wire.size, () => readNumber(wire.size, "block.size"), mismatches),
    uncles: readArray(wire.uncles ?? [], "block.uncles", MAX_UNCLES).map((hash) => reader.hash(hash, "block.uncles")),
  };
  decodeLaterFields(wire, reader, header);
  const total = readOr(undefined, wire.totalDifficulty, () => reader.uint(wire.totalDifficulty, TOTAL), mismatches);
  if (total !== undefined) header.totalDifficulty = total;
  const extra = reader.extras.read(wire, KNOWN, "header");
  return extra === undefined ? header : { ...header, ...extra };
}

const TOTAL = "block.totalDifficulty";

function readOr<T>(absent: T, value: unknown, read: () => T, mismatches: string[]): T {
  if (value === undefined || value === null) return absent;
  try {
    return read();
  } catch (error) {
    mismatches.push(asChainError(error).message);
    return absent;
  }
}

const LATER_UINTS = ["baseFeePerGas", "excessBlobGas"] as const;
const LATER_HASHES = ["withdrawalsRoot", "parentBeaconBlockRoot", "requestsHash"] as const;

function decodeLaterFields(wire: Wire, reader: WireReader, header: Draft<Header>): void {
  const has = (key: string) => wire[key] !== undefined && wire[key] !== null;
  for (const key of LATER_UINTS) if (has(key)) header[key] = reader.uint(wire[key], `block.${key}`);
  for (const key of LATER_HASHES) if (has(key)) header[key] = reader.hash(wire[key], `block.${key}`);
  if (has("blobGasUsed")) header.blobGasUsed = readNumber(wire.blobGasUsed, "block.blobGasUsed");
  if (has("withdrawals")) {
    const entries = readArray(wire.withdrawals, "block.withdrawals", MAX_WITHDRAWALS);
    header.withdrawals = entries.map((entry) => decodeWithdrawal(entry, reader));
  }
}

function decodeWithdrawal(value: unknown, reader: WireReader): Withdrawal {
  const wire = readObject(value, "withdrawal");
  return {
    index: readNumber(wire.index, "withdrawal.index"),
    validatorIndex: readNumber(wire.validatorIndex, "withdrawal.validatorIndex"),
    address: reader.address(wire.address, "withdrawal.address"),
    amount: reader.uint(wire.amount, "withdrawal.amount"),
  };
}

/** Fields of Amsterdam (EIP-7928, EIP-7843), whose other rules are not implemented. */
export const AMSTERDAM_FIELDS = ["blockAccessListHash", "slotNumber"] as const;

/** An unreadable field is skipped, and the hash check fails. */
function writeAmsterdamFields({ extra }: Header, writer: RlpWriter): void {
  const { blockAccessListHash: hash, slotNumber: slot } = extra ?? {};
  if (!isHash(hash)) return;
  if (typeof slot === "string" && /^0x[0-9a-f]{1,16}$/i.test(slot)) writer.uint(uintFromBigInt(BigInt(slot)));
  writer.string(fromHex(hash));
}

/** Forks only append fields: a field is present only if all before it are. */
export function writeHeader(header: Header, writer: RlpWriter): void {
  const start = writer.length;
  if (header.extra !== undefined) writeAmsterdamFields(header, writer);
  if (header.requestsHash !== undefined) writer.string(header.requestsHash);
  if (header.parentBeaconBlockRoot !== undefined) writer.string(header.parentBeaconBlockRoot);
  if (header.excessBlobGas !== undefined) writer.uint(header.excessBlobGas);
  if (header.blobGasUsed !== undefined) writer.number(header.blobGasUsed);
  if (header.withdrawalsRoot !== undefined) writer.string(header.withdrawalsRoot);
  if (header.baseFeePerGas !== undefined) writer.uint(header.baseFeePerGas);
  writer.string(header.nonce);
  writer.string(header.mixHash);
  writer.string(header.extraData);
  writer.number(header.timestamp);
  writer.number(header.gasUsed);
  writer.uint(header.gasLimit);
  writer.number(header.number);
  writer.uint(header.difficulty);
  writer.string(header.logsBloom);
  writer.string(header.receiptsRoot);
  writer.string(header.transactionsRoot);
  writer.string(header.stateRoot);
  writer.string(header.miner);
  writer.string(header.sha3Uncles);
  writer.string(header.parentHash);
  writer.closeList(start);
}

const scratch = new RlpWriter();

export function headerHash(header: Header): Hash {
  scratch.reset();
  writeHeader(header, scratch);
  return keccak256(scratch.written);
}

export function writeWithdrawal(withdrawal: Withdrawal, writer: RlpWriter): void {
  const start = writer.length;
  writer.uint(withdrawal.amount);
  writer.string(withdrawal.address);
  writer.number(withdrawal.validatorIndex);
  writer.number(withdrawal.index);
  writer.closeList(start);
}

export function withdrawalsRoot(withdrawals: readonly Withdrawal[]): Hash {
  return orderedTrieRoot(withdrawals, writeWithdrawal);
}

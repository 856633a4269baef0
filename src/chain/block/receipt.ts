import type { AddressBytes, Bytes, Hash } from "../encoding/bytes.ts";
import { EMPTY } from "../encoding/bytes.ts";
import type { ExtraFields } from "../encoding/extra.ts";
import type { RlpWriter } from "../encoding/rlp.ts";
import type { Uint } from "../encoding/uint.ts";
import type { Draft, Wire, WireReader } from "../encoding/wire.ts";
import { compareCopy, expectSame, invalid, readArray, readNumber, readObject } from "../encoding/wire.ts";
import type { Inclusion } from "./transaction.ts";

export interface Log extends ExtraFields {
  readonly address: AddressBytes;
  readonly topics: Bytes;
  readonly data: Bytes;
  /** As reported by the node; our log index is the position in the block. */
  readonly logIndex: number;
}

export interface Receipt extends ExtraFields {
  readonly type: number;
  readonly from: AddressBytes;
  readonly to: AddressBytes | null;
  /** Undefined before Byzantium, when receipts had a state root instead. */
  readonly status?: 0 | 1;
  readonly root?: Hash;
  readonly cumulativeGasUsed: number;
  readonly gasUsed: number;
  readonly effectiveGasPrice?: Uint;
  readonly contractAddress: AddressBytes | null;
  readonly logsBloom: Bytes;
  readonly logs: readonly Log[];
  readonly blobGasUsed?: number;
  readonly blobGasPrice?: Uint;
}

const KNOWN = new Set(
  `blockHash blockNumber blockTimestamp transactionHash transactionIndex type from to status root cumulativeGasUsed gasUsed
   effectiveGasPrice contractAddress logsBloom logs blobGasUsed blobGasPrice`.split(/\s+/),
);

const KNOWN_LOG = new Set(
  "address topics data logIndex blockHash blockNumber blockTimestamp transactionHash transactionIndex removed".split(
    " ",
  ),
);

/** Rejects a receipt of another transaction. */
export function decodeReceipt(wire: Wire, reader: WireReader, hash: unknown, at: Inclusion): Receipt {
  expectPlace(wire, hash, at, "receipt");
  const receipt: Draft<Receipt> = {
    type: wire.type === undefined || wire.type === null ? 0 : readNumber(wire.type, "receipt.type"),
    from: reader.address(wire.from, "receipt.from"),
    to: wire.to === null || wire.to === undefined ? null : reader.address(wire.to, "receipt.to"),
    cumulativeGasUsed: readNumber(wire.cumulativeGasUsed, "receipt.cumulativeGasUsed"),
    gasUsed: readNumber(wire.gasUsed, "receipt.gasUsed"),
    contractAddress: wire.contractAddress ? reader.address(wire.contractAddress, "receipt.contractAddress") : null,
    logsBloom: reader.bytes(wire.logsBloom, "receipt.logsBloom", 256),
    logs: readArray(wire.logs, "receipt.logs").map((log) => decodeLog(readObject(log, "log"), reader, hash, at)),
  };
  const status = readStatus(wire.status);
  if (status !== undefined) receipt.status = status;
  else if (wire.root !== undefined) receipt.root = reader.hash(wire.root, "receipt.root");
  else throw invalid("receipt.status", wire.status, "0x0 or 0x1");
  const has = (key: string) => wire[key] !== undefined && wire[key] !== null;
  if (has("effectiveGasPrice")) {
    receipt.effectiveGasPrice = reader.uint(wire.effectiveGasPrice, "receipt.effectiveGasPrice");
  }
  if (has("blobGasUsed")) receipt.blobGasUsed = readNumber(wire.blobGasUsed, "receipt.blobGasUsed");
  if (has("blobGasPrice")) receipt.blobGasPrice = reader.uint(wire.blobGasPrice, "receipt.blobGasPrice");
  const extra = reader.extras.read(wire, KNOWN, "receipt");
  return extra === undefined ? receipt : { ...receipt, ...extra };
}

function readStatus(status: unknown): 0 | 1 | undefined {
  if (status === "0x1") return 1;
  if (status === "0x0") return 0;
  return status === 1 || status === 0 ? status : undefined;
}

function decodeLog(wire: Wire, reader: WireReader, hash: unknown, at: Inclusion): Log {
  expectPlace(wire, hash, at, "log");
  compareCopy(wire.removed, false, "log.removed", at.mismatches);
  const extra = reader.extras.read(wire, KNOWN_LOG, "log");
  const log = {
    address: reader.address(wire.address, "log.address"),
    topics: reader.hashes(wire.topics, "log.topics", 4),
    data: wire.data === undefined ? EMPTY : reader.bytes(wire.data, "log.data"),
    logIndex: readNumber(wire.logIndex, "log.logIndex"),
  };
  return extra === undefined ? log : { ...log, ...extra };
}

function expectPlace(wire: Wire, hash: unknown, at: Inclusion, what: string): void {
  if (wire.transactionHash === undefined)
    throw invalid(`${what}.transactionHash`, undefined, "the hash of its transaction");
  expectSame(wire.transactionHash, hash, `${what}.transactionHash`);
  if (wire.blockHash === undefined) throw invalid(`${what}.blockHash`, undefined, "the hash of its block");
  expectSame(wire.blockHash, at.blockHash, `${what}.blockHash`);
  compareCopy(wire.blockNumber, at.blockNumber, `${what}.blockNumber`, at.mismatches);
  compareCopy(wire.blockTimestamp, at.timestamp, `${what}.blockTimestamp`, at.mismatches);
  compareCopy(wire.transactionIndex, at.index, `${what}.transactionIndex`, at.mismatches);
}

/** Receipts also name an address for failed creations. */
export function createsContract(receipt: Pick<Receipt, "contractAddress" | "status">): boolean {
  return receipt.contractAddress !== null && receipt.status !== 0;
}

/** The preimage of the receipts trie: type || RLP (EIP-2718), or legacy RLP. */
export function writeReceipt(receipt: Receipt, type: number, writer: RlpWriter): void {
  const start = writer.length;
  const logsStart = writer.length;
  for (let i = receipt.logs.length - 1; i >= 0; i--) writeLog(receipt.logs[i]!, writer);
  writer.closeList(logsStart);
  writer.string(receipt.logsBloom);
  writer.number(receipt.cumulativeGasUsed);
  if (receipt.root !== undefined) writer.string(receipt.root);
  else writer.number(receipt.status ?? 0);
  writer.closeList(start);
  if (type > 0) writer.byte(type);
}

function writeLog(log: Log, writer: RlpWriter): void {
  const start = writer.length;
  writer.string(log.data);
  const topicsStart = writer.length;
  for (let at = log.topics.length - 32; at >= 0; at -= 32) writer.string(log.topics.subarray(at, at + 32));
  writer.closeList(topicsStart);
  writer.string(log.address);
  writer.closeList(start);
}

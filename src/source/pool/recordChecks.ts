import type { Block } from "../../chain/block/block.ts";
import { transactionHash } from "../../chain/block/block.ts";
import { decodeHeader, headerHash } from "../../chain/block/header.ts";
import type { Log, Receipt } from "../../chain/block/receipt.ts";
import { decodeReceipt, writeReceipt } from "../../chain/block/receipt.ts";
import { decodeTransaction, isKnownType } from "../../chain/block/transaction.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import { equalBytes } from "../../chain/encoding/bytes.ts";
import { quantity, toHex } from "../../chain/encoding/hex.ts";
import { RlpWriter } from "../../chain/encoding/rlp.ts";
import type { Wire } from "../../chain/encoding/wire.ts";
import { readArray, readObject, WireReader } from "../../chain/encoding/wire.ts";
import { asChainError } from "../../chain/error.ts";

/**
 * Checks a record against a block with recomputed roots. Compares only what the block commits to: nodes may differ in
 * the rest.
 */
export type RecordCheck = (wire: Wire, block: Block) => string | undefined;

export const checkReceipt: RecordCheck = (wire, block) => {
  const index = indexOf(wire.transactionHash, block);
  if (index < 0) return `receipt ${short(wire.transactionHash)} is not of block ${block.header.number}`;
  const tx = block.transactions[index]!;
  if (!isKnownType(tx.type)) return undefined;
  const [shown, real] = [readReceipt(wire, block, index), block.receipts[index]!];
  const isSame =
    !(typeof shown === "string") &&
    equalBytes(encoded(shown, tx.type), encoded(real, tx.type)) &&
    shown.gasUsed === real.gasUsed &&
    equalOrNull(shown.contractAddress, real.contractAddress) &&
    equalBytes(shown.from, real.from) &&
    shown.logs.every((log, at) => log.logIndex === real.logs[at]!.logIndex);
  if (isSame) return placeProblem(wire, block, index, "receipt");
  const problem = typeof shown === "string" ? shown : "it is not the one that receiptsRoot commits to";
  return `receipt ${short(wire.transactionHash)}: ${problem}`;
};

export const checkTransaction: RecordCheck = (wire, block) => {
  const index = indexOf(wire.hash, block);
  if (index < 0) return `transaction ${short(wire.hash)} is not in block ${block.header.number}`;
  return contentProblem(wire, block, index) ?? placeProblem(wire, block, index, "transaction");
};

export const checkLog: RecordCheck = (wire, block) => {
  const logs = block.receipts[indexOf(wire.transactionHash, block)]?.logs ?? [];
  const log = logs[Number(wire.logIndex) - (logs[0]?.logIndex ?? 0)];
  const topics = Array.isArray(wire.topics) ? (wire.topics as unknown[]).map(lower).join() : undefined;
  const isSame =
    log !== undefined &&
    quantity(log.logIndex) === wire.logIndex &&
    sameBytes(wire.address, log.address) &&
    sameBytes(wire.data, log.data);
  if (isSame && topics === topicsOf(log).join()) return undefined;
  return `log ${String(wire.logIndex)} of block ${block.header.number} is not one that receiptsRoot commits to`;
};

export const checkBlockRecord: RecordCheck = (wire, block) => {
  const { header, transactions } = block;
  try {
    const shown = decodeHeader(wire, new WireReader());
    if (!equalBytes(headerHash(shown), headerHash(header))) return `block ${header.number}: its header is another`;
  } catch (error) {
    return asChainError(error).message;
  }
  const list = readArray(wire.transactions ?? [], "block.transactions");
  if (list.length !== transactions.length) return `block ${header.number} has ${transactions.length} transactions`;
  for (const [index, item] of list.entries()) {
    const isHash = typeof item === "string";
    const shown = isHash ? item : readObject(item, "transaction").hash;
    if (!sameBytes(shown, transactions[index]!.hash))
      return `transaction ${index} of block ${header.number} is another`;
    const problem = isHash ? undefined : contentProblem(item as Wire, block, index);
    if (problem !== undefined) return problem;
  }
  return undefined;
};

/** Checks the hashed fields and the sender. */
function contentProblem(wire: Wire, block: Block, index: number): string | undefined {
  const real = block.transactions[index]!;
  if (!isKnownType(real.type) || !equalBytes(transactionHash(real), real.hash)) return undefined;
  try {
    const shown = decodeTransaction(wire, new WireReader());
    if (equalBytes(transactionHash(shown), real.hash) && equalBytes(shown.from, real.from)) return undefined;
    return `transaction ${short(wire.hash)}: its fields do not have this hash`;
  } catch (error) {
    return asChainError(error).message;
  }
}

function placeProblem(wire: Wire, { header }: Block, index: number, what: string): string | undefined {
  const isPlaced = Number(wire.blockNumber) === header.number && Number(wire.transactionIndex) === index;
  return isPlaced ? undefined : `${what} ${index} of block ${header.number} is shown at another place`;
}

function readReceipt(wire: Wire, { header }: Block, index: number): Receipt | string {
  const place = { blockHash: toHex(header.hash), blockNumber: header.number, timestamp: header.timestamp };
  try {
    return decodeReceipt(wire, new WireReader(), wire.transactionHash, { ...place, index, mismatches: [] });
  } catch (error) {
    return asChainError(error).message;
  }
}

function encoded(receipt: Receipt, type: number): Bytes {
  const writer = new RlpWriter();
  writeReceipt(receipt, type, writer);
  return writer.written;
}

/** Transaction index by hash per checked block: a response may have thousands of records of one block. */
const indexes = new WeakMap<Block, ReadonlyMap<unknown, number>>();

function indexOf(hash: unknown, block: Block): number {
  const known = indexes.get(block) ?? new Map(block.transactions.map((tx, index) => [toHex(tx.hash), index]));
  indexes.set(block, known);
  return known.get(lower(hash)) ?? -1;
}

function topicsOf({ topics }: Log): string[] {
  return Array.from({ length: topics.length / 32 }, (_, at) => toHex(topics.subarray(at * 32, at * 32 + 32)));
}

function sameBytes(shown: unknown, bytes: Bytes): boolean {
  return lower(shown) === toHex(bytes);
}

function lower(value: unknown): unknown {
  return typeof value === "string" ? value.toLowerCase() : value;
}

function equalOrNull(one: Bytes | null, other: Bytes | null): boolean {
  return one === null || other === null ? one === other : equalBytes(one, other);
}

function short(hash: unknown): string {
  return String(hash).slice(0, 66);
}

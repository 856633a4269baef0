import { itemAt } from "../../std/values.ts";
import type { Block } from "../block/block.ts";
import { createdAddress } from "../block/block.ts";
import { BLOB_GAS } from "../block/fees.ts";
import { headerHash, withdrawalsRoot, writeHeader, writeWithdrawal } from "../block/header.ts";
import type { Receipt } from "../block/receipt.ts";
import { writeReceipt } from "../block/receipt.ts";
import type { Transaction } from "../block/transaction.ts";
import { isKnownType, writeTransaction } from "../block/transaction.ts";
import type { Bytes } from "../encoding/bytes.ts";
import { equalBytes } from "../encoding/bytes.ts";
import { toHex } from "../encoding/hex.ts";
import { RlpWriter } from "../encoding/rlp.ts";
import type { Uint } from "../encoding/uint.ts";
import { isSafeUint, uintToBigInt, uintToNumber } from "../encoding/uint.ts";
import { logsBloom } from "../hashing/bloom.ts";
import { keccak256 } from "../hashing/keccak.ts";
import { orderedTrieRoot, ROOTS_OF_NONE } from "../hashing/trie.ts";
import type { Check } from "./checks.ts";
import type { UnknownFields } from "./unknownFields.ts";
import { unknownFields } from "./unknownFields.ts";
import type { Verified } from "./verified.ts";
import { NOTHING_VERIFIED, verifiedOf } from "./verified.ts";

export interface Findings {
  /** Checks that passed on actual data: the root of an empty list proves nothing. */
  readonly held: readonly Check[];
  readonly failed: readonly { readonly check: Check; readonly message: string }[];
  /** Unknown fields that might be part of a hash. */
  readonly unknown: UnknownFields;
}

class Report {
  readonly held: Check[] = [];
  readonly failed: { check: Check; message: string }[] = [];

  /** `problem` is undefined if the check passed. */
  add(check: Check, problem: string | undefined, isConclusive = true): void {
    if (problem !== undefined) this.failed.push({ check, message: problem });
    else if (isConclusive) this.held.push(check);
  }

  expectBytes(check: Check, given: Bytes, computed: Bytes, isConclusive = true): void {
    const problem = equalBytes(given, computed) ? undefined : `${toHex(given)} given, ${toHex(computed)} computed`;
    this.add(check, problem, isConclusive);
  }
}

const known = new WeakMap<Block, Findings>();

/** Recomputes every field that others determine. Run once per block. */
export function checkBlock(block: Block): Findings {
  const findings = known.get(block) ?? findingsOf(block);
  known.set(block, findings);
  return findings;
}

function findingsOf(block: Block): Findings {
  const report = new Report();
  recompute(block, report);
  const failed = report.failed.map(({ check }) => check);
  return { ...report, unknown: unknownFields(block, failed) };
}

function recompute(block: Block, report: Report): void {
  const { header, transactions, receipts } = block;
  const verified = verifiedOf(block) ?? NOTHING_VERIFIED;
  if (verified.blockHash) report.add("blockHash", undefined);
  else report.expectBytes("blockHash", header.hash, headerHash(header));
  if (block.omission !== undefined) report.add("extra", block.omission);
  report.add("copies", block.mismatch, transactions.length > 0);
  if (transactions.every((tx) => isKnownType(tx.type))) {
    const size = checkTransactions(block, verified, report);
    if (header.uncles.length === 0) checkSize(block, size, report);
    if (verified.receipts) report.add("receiptsRoot", undefined);
    else checkReceiptsRoot(block, report);
  } else {
    report.expectBytes("logsBloom", header.logsBloom, logsBloom(receipts.flatMap((receipt) => receipt.logs)));
  }
  if (verified.withdrawals) report.add("withdrawalsRoot", undefined);
  else checkWithdrawals(block, report);
  report.add("uncles", unclesProblem(block));
  report.add(
    "logIndex",
    logIndexProblem(receipts),
    receipts.some((receipt) => receipt.logs.length > 0),
  );
  report.add("gasUsed", gasProblem(block), transactions.length > 0);
  if (transactions.length === 0) return;
  report.add("fields", firstProblem(block, fieldsProblem));
  report.add("chainId", firstProblem(block, chainIdProblem), transactions.some(hasLegacyChainId));
  report.add(
    "gasPrice",
    firstProblem(block, (tx, receipt) => priceProblem(tx, receipt, header.baseFeePerGas)),
  );
  report.add(
    "feeCap",
    firstProblem(block, (tx, receipt) => feeCapProblem(tx, receipt, header.baseFeePerGas)),
    transactions.some(hasFeeCap),
  );
  report.add("receipt", firstProblem(block, receiptProblem));
  report.add("contractAddress", firstProblem(block, creationProblem), transactions.some(isCreation));
  if (header.blobGasUsed !== undefined) report.add("blobGas", blobProblem(block), transactions.some(hasBlobs));
}

/** Checks root and hashes in one pass. Returns the RLP length of the transactions within a block. */
function checkTransactions({ header, transactions }: Block, verified: Verified, report: Report): number {
  if (verified.transactions) {
    report.add("transactionsRoot", undefined);
    report.add("transactionHash", undefined);
    return verified.transactionBytes;
  }
  let size = 0;
  let wrong: string | undefined;
  const root = orderedTrieRoot(transactions, (tx, writer, index) => {
    writeTransaction(tx, writer);
    size += tx.type === 0 ? writer.length : writer.length + headerSize(writer.length);
    if (!equalBytes(keccak256(writer.written), tx.hash)) wrong = `transaction ${index} is not ${toHex(tx.hash)}`;
  });
  if (transactions.length === 0) {
    const isEmpty = ROOTS_OF_NONE.some((none) => equalBytes(none, header.transactionsRoot));
    report.add("noTransactions", isEmpty ? undefined : `the root is ${toHex(header.transactionsRoot)}`);
    return size;
  }
  report.expectBytes("transactionsRoot", header.transactionsRoot, root);
  report.add("transactionHash", wrong);
  return size;
}

function checkReceiptsRoot({ header, transactions, receipts }: Block, report: Report): void {
  const root = orderedTrieRoot(receipts, (receipt, writer, index) =>
    writeReceipt(receipt, itemAt(transactions, index).type, writer),
  );
  report.expectBytes("receiptsRoot", header.receiptsRoot, root, receipts.length > 0);
}

function checkWithdrawals({ header }: Block, report: Report): void {
  const { withdrawals, withdrawalsRoot: root } = header;
  if (root !== undefined && withdrawals !== undefined) {
    report.expectBytes("withdrawalsRoot", root, withdrawalsRoot(withdrawals), withdrawals.length > 0);
  } else if (root !== withdrawals) {
    report.add("withdrawalsRoot", `the block has ${root === undefined ? "no root for them" : "a root but no list"}`);
  }
}

const NO_UNCLES = keccak256(new Uint8Array([0xc0]));

function unclesProblem({ header }: Block): string | undefined {
  const isEmpty = equalBytes(header.sha3Uncles, NO_UNCLES);
  return isEmpty === (header.uncles.length === 0) ? undefined : `${header.uncles.length} are named`;
}

const scratch = new RlpWriter();

function checkSize({ header }: Block, transactionsSize: number, report: Report): void {
  if (header.size === 0) return;
  scratch.reset();
  if (header.withdrawals !== undefined) {
    for (const withdrawal of header.withdrawals.toReversed()) writeWithdrawal(withdrawal, scratch);
    scratch.closeList(0);
  }
  scratch.byte(0xc0);
  writeHeader(header, scratch);
  const body = scratch.length + transactionsSize + headerSize(transactionsSize);
  const size = body + headerSize(body);
  report.add("size", size === header.size ? undefined : `${header.size} given, ${size} computed`);
}

/** RLP header length for a payload of this length. */
function headerSize(length: number): number {
  if (length < 56) return 1;
  return 2 + Math.floor(Math.log2(length) / 8);
}

function logIndexProblem(receipts: readonly Receipt[]): string | undefined {
  let next = 0;
  for (const receipt of receipts) {
    for (const log of receipt.logs) {
      if (log.logIndex !== next) return `log ${next} has index ${log.logIndex}`;
      next++;
    }
  }
  return undefined;
}

function gasProblem({ header, receipts }: Block): string | undefined {
  let sum = 0;
  for (const [index, receipt] of receipts.entries()) {
    sum += receipt.gasUsed;
    if (receipt.cumulativeGasUsed !== sum)
      return `receipt ${index} has ${receipt.cumulativeGasUsed}, the sum is ${sum}`;
  }
  return sum === header.gasUsed ? undefined : `the header has ${header.gasUsed}, the sum is ${sum}`;
}

function firstProblem(
  { transactions, receipts }: Block,
  problemOf: (tx: Transaction, receipt: Receipt) => string | undefined,
): string | undefined {
  for (const [index, tx] of transactions.entries()) {
    const problem = problemOf(tx, itemAt(receipts, index));
    if (problem !== undefined) return `transaction ${index}: ${problem}`;
  }
  return undefined;
}

/** Fields that the hash does not cover because the type lacks them. Empty lists are ignored. */
function fieldsProblem(tx: Transaction, receipt: Receipt): string | undefined {
  const { type, accessList, authorizationList, blobVersionedHashes } = tx;
  if (!isKnownType(type)) return undefined;
  if (type === 0 && isFilled(accessList)) return "it has an access list";
  if (type < 2 && (tx.maxFeePerGas ?? tx.maxPriorityFeePerGas) !== undefined) return "it has a fee cap";
  if (type !== 4 && isFilled(authorizationList)) return "it has authorizations";
  if (type === 3) return undefined;
  if (isFilled(blobVersionedHashes) || (tx.maxFeePerBlobGas ?? receipt.blobGasPrice) !== undefined)
    return "it has blobs";
  return undefined;
}

function isFilled(list: readonly unknown[] | undefined): boolean {
  return list !== undefined && list.length > 0;
}

function hasLegacyChainId(tx: Transaction): boolean {
  return tx.type === 0 && tx.chainId !== undefined;
}

/** EIP-155: v is 35 or 36 plus twice the chain id; smaller values contain none. */
function chainIdProblem({ type, v, chainId }: Transaction): string | undefined {
  if (type !== 0 || chainId === undefined) return undefined;
  const isHeld = isSafeUint(v)
    ? uintToNumber(v) < 35 || Math.floor((uintToNumber(v) - 35) / 2) === uintToNumber(chainId)
    : (uintToBigInt(v) - 35n) / 2n === uintToBigInt(chainId);
  return isHeld ? undefined : `its v is ${toHex(v)}, its chain id ${toHex(chainId)}`;
}

function priceProblem(tx: Transaction, receipt: Receipt, baseFee: Uint | undefined): string | undefined {
  const { effectiveGasPrice } = receipt;
  if (!isKnownType(tx.type)) return undefined;
  if (effectiveGasPrice === undefined) return baseFee === undefined ? undefined : "its receipt has no price";
  if (tx.gasPrice === undefined) return tx.type < 2 ? "it has no price" : undefined;
  return equalBytes(tx.gasPrice, effectiveGasPrice) ? undefined : "its prices differ";
}

function hasFeeCap({ type }: Transaction): boolean {
  return type >= 2 && isKnownType(type);
}

function feeCapProblem(tx: Transaction, receipt: Receipt, baseFee: Uint | undefined): string | undefined {
  const { effectiveGasPrice } = receipt;
  if (!hasFeeCap(tx) || effectiveGasPrice === undefined) return undefined;
  const { maxFeePerGas, maxPriorityFeePerGas } = tx;
  if (maxFeePerGas === undefined || maxPriorityFeePerGas === undefined || baseFee === undefined)
    return "it has no bids";
  return paysBid(effectiveGasPrice, maxFeePerGas, maxPriorityFeePerGas, baseFee)
    ? undefined
    : "its price is not its bid";
}

/** Whether the price is base fee plus tip, capped by the bid. Uses numbers where they fit. */
function paysBid(price: Uint, maxFee: Uint, tip: Uint, baseFee: Uint): boolean {
  if (isSafeUint(maxFee) && tip.length < 7 && baseFee.length < 7 && isSafeUint(price)) {
    return uintToNumber(price) === Math.min(uintToNumber(maxFee), uintToNumber(baseFee) + uintToNumber(tip));
  }
  const offered = uintToBigInt(baseFee) + uintToBigInt(tip);
  return offered < uintToBigInt(maxFee) ? uintToBigInt(price) === offered : equalBytes(price, maxFee);
}

function receiptProblem(tx: Transaction, receipt: Receipt): string | undefined {
  if (receipt.type !== tx.type) return `its receipt has type ${receipt.type}`;
  if (!equalBytes(receipt.from, tx.from)) return `its receipt is from ${toHex(receipt.from)}`;
  return equalOrNull(receipt.to, tx.to) ? undefined : "its receipt has another recipient";
}

function isCreation({ to }: Transaction): boolean {
  return to === null;
}

function creationProblem(tx: Transaction, receipt: Receipt): string | undefined {
  const created = receipt.contractAddress;
  if (!isCreation(tx)) return created === null ? undefined : "its receipt names a contract";
  if (created === null) return hasFailed(tx, receipt) ? undefined : "its receipt names no contract";
  if (!isKnownType(tx.type) || equalBytes(created, createdAddress(tx))) return undefined;
  return `it creates ${toHex(createdAddress(tx))}, not ${toHex(created)}`;
}

/** Receipts before Byzantium have no status; failure consumed all gas then. */
function hasFailed(tx: Transaction, { status, gasUsed }: Receipt): boolean {
  return status === undefined ? gasUsed === uintToNumber(tx.gas) : status === 0;
}

function equalOrNull(a: Bytes | null, b: Bytes | null): boolean {
  return a === null || b === null ? a === b : equalBytes(a, b);
}

function hasBlobs({ type }: Transaction): boolean {
  return type === 3;
}

function blobProblem({ header, transactions, receipts }: Block): string | undefined {
  let sum = 0;
  let price: Uint | undefined;
  for (const [index, tx] of transactions.entries()) {
    const gas = (tx.blobVersionedHashes?.length ?? 0) * BLOB_GAS;
    const { blobGasUsed, blobGasPrice } = itemAt(receipts, index);
    if ((blobGasUsed ?? 0) !== gas) return `transaction ${index} has ${blobGasUsed}, its blobs take ${gas}`;
    sum += gas;
    if (!hasBlobs(tx)) continue;
    if (blobGasPrice === undefined) return `transaction ${index} has no price for its blobs`;
    price ??= blobGasPrice;
    if (!equalBytes(price, blobGasPrice)) return `transaction ${index} pays another price for its blobs`;
  }
  return sum === header.blobGasUsed ? undefined : `the header has ${header.blobGasUsed}, the blobs take ${sum}`;
}

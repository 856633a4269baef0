import { fullText } from "../../chain/abi/signature.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import type { Uint } from "../../chain/encoding/uint.ts";
import { uintToBigInt } from "../../chain/encoding/uint.ts";
import type { SummedBlock } from "../../query/blocks/block.ts";
import { rewardOf } from "../../query/blocks/block.ts";
import type { KnownHeight } from "../../query/indexedRange.ts";
import { confirmationsOf } from "../../query/indexedRange.ts";
import type { HistoricTransfer } from "../../query/tokens/transferHistory.ts";
import type { TransactionDetails } from "../../query/transactions/transaction.ts";
import type { LogExcerpt } from "../../query/transactions/transactionLogs.ts";
import type { TransactionOutcome } from "../../query/transactions/transactionView.ts";
import type { MinedTransaction } from "../../store/read/transactions.ts";
import type { ListedReceipt, ListedTransaction } from "../../store/rows/transactionBody.ts";

const decimal = (value: Uint | undefined): string => (value === undefined ? "0" : uintToBigInt(value).toString());

const priceOf = (tx: ListedTransaction, receipt: ListedReceipt): string =>
  decimal(receipt.effectiveGasPrice ?? tx.gasPrice ?? tx.maxFeePerGas);

/** First four bytes of the input, also for creations. */
function methodId({ input, selector }: ListedTransaction): string {
  const start = input ?? selector;
  return start === undefined || start.length < 4 ? "0x" : toHex(start.subarray(0, 4));
}

/** Transaction fields of transfer records. All values are strings. */
function presentMined({ transaction: tx, receipt, index, block }: MinedTransaction, height: KnownHeight) {
  const { header } = block;
  return {
    blockNumber: String(header.number),
    timeStamp: String(header.timestamp),
    hash: toHex(tx.hash),
    nonce: decimal(tx.nonce),
    blockHash: toHex(header.hash),
    transactionIndex: String(index),
    gas: decimal(tx.gas),
    gasPrice: priceOf(tx, receipt),
    gasUsed: String(receipt.gasUsed),
    cumulativeGasUsed: String(receipt.cumulativeGasUsed),
    confirmations: String(confirmationsOf(height, header.number)),
    methodId: methodId(tx),
  };
}

export function presentTransfer({ transfer, token, called }: HistoricTransfer, height: KnownHeight) {
  const { kind, from, to, tokenId, amount, logIndex, mined } = transfer;
  const id = tokenId === undefined ? "" : uintToBigInt(tokenId).toString();
  const value = uintToBigInt(amount).toString();
  return {
    ...presentMined(mined, height),
    from: toHex(from),
    to: toHex(to),
    contractAddress: toHex(token.address),
    logIndex: String(logIndex),
    tokenName: token.seen?.name.text ?? "",
    tokenSymbol: token.seen?.symbol.text ?? "",
    tokenDecimal: String(token.seen?.decimals ?? 0),
    ...(kind === "ERC-20" && { value }),
    ...(kind === "ERC-721" && { tokenID: id }),
    ...(kind === "ERC-1155" && { tokenID: id, tokenValue: value }),
    input: "deprecated",
    functionName: called === undefined ? "" : fullText(called),
  };
}

export function presentMinedBlock(block: SummedBlock, subsidy: bigint) {
  const { number, timestamp } = block.header;
  return {
    blockNumber: String(number),
    timeStamp: String(timestamp),
    blockReward: String(rewardOf(block, subsidy) ?? 0),
  };
}

/** `next_page_params` is null on the last page. */
export function presentTransactionInfo(
  details: TransactionDetails,
  outcome: TransactionOutcome,
  { logs, hasMore }: LogExcerpt,
) {
  const { transaction: tx, failure } = details;
  const { receipt, header, confirmations } = outcome;
  return {
    hash: toHex(tx.hash),
    timeStamp: String(header.timestamp),
    blockNumber: String(header.number),
    confirmations: String(confirmations),
    success: receipt.status !== 0,
    from: toHex(tx.from),
    to: tx.to === null ? "" : toHex(tx.to),
    value: decimal(tx.value),
    input: toHex(tx.input),
    gasLimit: decimal(tx.gas),
    gasUsed: String(receipt.gasUsed),
    gasPrice: priceOf(tx, receipt),
    logs: logs.map(({ address, topics, data, logIndex }) => ({
      address: toHex(address),
      topics: presentTopics(topics),
      data: toHex(data),
      index: String(logIndex),
    })),
    revertReason: presentReason(failure),
    next_page_params: hasMore ? { index: logs.at(-1)?.logIndex } : null,
  };
}

/** Text if it is UTF-8, else hex. */
function presentReason(failure: TransactionDetails["failure"]): string {
  if (failure === undefined || failure.reason === null) return "";
  return ("text" in failure.reason ? failure.reason.text : null) ?? toHex(failure.output);
}

/** Without padding to four. */
function presentTopics(topics: Bytes): Hex[] {
  return Array.from({ length: topics.length / 32 }, (_, at) => toHex(topics.subarray(32 * at, 32 * at + 32)));
}

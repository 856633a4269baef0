import type { Log } from "../../chain/block/receipt.ts";
import { collectTransfers } from "../../chain/token/events/logTransfers.ts";
import { dropRepeated } from "../../chain/token/events/weth.ts";
import type { OmittedTransfers, TokenTransfer } from "../../chain/token/tokenTransfer.ts";
import type { LoggedBlock } from "../../store/read/blockLogs.ts";
import { omissionOf } from "./omission.ts";

/** Token events of a block. */
interface TokenEvents {
  /**
   * In chain order. Possible wraps of the native coin are marked, and dropped if a Transfer in the same transaction
   * repeats them.
   */
  readonly transfers: TokenTransfer[];
  readonly omitted?: OmittedTransfers;
}

export function tokenEvents(block: LoggedBlock, max?: number): TokenEvents {
  const omission = omissionOf(block.receipts, countTransfers, max);
  if (omission === undefined) return { transfers: collectAll(block) };
  const { transfers, tokens, busiest, isOmitted } = omission;
  return { transfers: collectAll(block, isOmitted), omitted: { transfers, tokens, busiest } };
}

export function transfersOf(block: LoggedBlock): TokenTransfer[] {
  return tokenEvents(block).transfers;
}

function collectAll(block: LoggedBlock, isOmitted?: (log: Log) => boolean): TokenTransfer[] {
  const transfers: TokenTransfer[] = [];
  let logIndex = 0;
  for (const [transactionIndex, receipt] of block.receipts.entries()) {
    const start = transfers.length;
    let hasWraps = false;
    for (const log of receipt.logs) {
      const location = { logIndex: logIndex++, transactionIndex };
      if (!isOmitted?.(log) && collectTransfers(log, location, transfers)) hasWraps = true;
    }
    if (hasWraps && transfers.length - start > 1) dropRepeated(transfers, start);
  }
  return transfers;
}

function countTransfers(log: Log): number {
  const transfers: TokenTransfer[] = [];
  collectTransfers(log, { logIndex: 0, transactionIndex: 0 }, transfers);
  return transfers.length;
}

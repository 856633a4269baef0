import type { Log, Receipt } from "../../chain/receipt.ts";
import type { OmittedTransfers, TokenTransfer } from "../../chain/tokenTransfer.ts";
import { decodeErc20 } from "./erc20.ts";
import { decodeErc721 } from "./erc721.ts";
import { decodeErc1155 } from "./erc1155.ts";
import type { Place } from "./event.ts";
import { omissionOf } from "./omission.ts";
import { decodeWeth, repeats } from "./weth.ts";

/** What the logs of a block, or of anything with its receipts, say of tokens. */
export interface TokenEvents {
  /** In chain order. Logs that only look alike are none. */
  readonly transfers: TokenTransfer[];
  /** What is left out of them, where a block has too many. */
  readonly omitted?: OmittedTransfers;
}

export function tokenEvents(block: LoggedBlock, most?: number): TokenEvents {
  const omission = omissionOf(block.receipts, countTransfers, most);
  if (omission === undefined) return { transfers: collectAll(block) };
  const { transfers, tokens, busiest, isOmitted } = omission;
  return { transfers: collectAll(block, isOmitted), omitted: { transfers, tokens, busiest } };
}

/** The token transfers of a block in chain order. */
export function transfersOf(block: LoggedBlock): TokenTransfer[] {
  return tokenEvents(block).transfers;
}

interface LoggedBlock {
  readonly receipts: readonly Pick<Receipt, "logs">[];
}

function collectAll(block: LoggedBlock, isOmitted?: (log: Log) => boolean): TokenTransfer[] {
  const transfers: TokenTransfer[] = [];
  let logIndex = 0;
  for (let transactionIndex = 0; transactionIndex < block.receipts.length; transactionIndex++) {
    const { logs } = block.receipts[transactionIndex]!;
    for (let at = 0; at < logs.length; at++, logIndex++) {
      if (isOmitted?.(logs[at]!)) continue;
      collect(logs, at, { logIndex, transactionIndex }, transfers);
    }
  }
  return transfers;
}

function countTransfers(log: Log): number {
  const transfers: TokenTransfer[] = [];
  collect([log], 0, { logIndex: 0, transactionIndex: 0 }, transfers);
  return transfers.length;
}

function collect(logs: readonly Log[], at: number, place: Place, transfers: TokenTransfer[]): void {
  const log = logs[at]!;
  const transfer = decodeErc20(log, place) ?? decodeErc721(log, place) ?? decodeUnrepeated(logs, at, place);
  if (transfer !== undefined) transfers.push(transfer);
  else for (const one of decodeErc1155(log, place)) transfers.push(one);
}

function decodeUnrepeated(logs: readonly Log[], at: number, place: Place): TokenTransfer | undefined {
  const transfer = decodeWeth(logs[at]!, place);
  if (transfer === undefined || repeats(transfer, logs[at - 1]) || repeats(transfer, logs[at + 1])) return undefined;
  return transfer;
}

import type { Log } from "../../chain/block/receipt.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { OmittedTransfers, TokenTransfer } from "../../chain/token/tokenTransfer.ts";
import type { LoggedBlock } from "../../store/read/blockLogs.ts";
import { decodeErc20 } from "./erc20.ts";
import { decodeErc721 } from "./erc721.ts";
import { decodeErc1155 } from "./erc1155.ts";
import type { LogLocation } from "./event.ts";
import { omissionOf } from "./omission.ts";
import { decodeWeth, dropRepeated } from "./weth.ts";

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
      if (!isOmitted?.(log) && collect(log, location, transfers)) hasWraps = true;
    }
    if (hasWraps && transfers.length - start > 1) dropRepeated(transfers, start);
  }
  return transfers;
}

function countTransfers(log: Log): number {
  const transfers: TokenTransfer[] = [];
  collect(log, { logIndex: 0, transactionIndex: 0 }, transfers);
  return transfers.length;
}

/** Returns whether the log may be a wrap. */
function collect(log: Log, location: LogLocation, transfers: TokenTransfer[]): boolean {
  if (isSystem(log.address)) return false;
  const transfer = decodeErc20(log, location) ?? decodeErc721(log, location) ?? decodeWeth(log, location);
  if (transfer !== undefined) transfers.push(transfer);
  else for (const one of decodeErc1155(log, location)) transfers.push(one);
  return transfer?.isWrap === true;
}

/** Pseudo-address of native transfer logs (EIP-7708): 19 bytes 0xff, then 0xfe. */
function isSystem(address: Bytes): boolean {
  if (address[0] !== 0xff || address[19] !== 0xfe) return false;
  for (let at = 1; at < 19; at++) if (address[at] !== 0xff) return false;
  return true;
}

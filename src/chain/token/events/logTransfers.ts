import type { Log } from "../../block/receipt.ts";
import type { Bytes } from "../../encoding/bytes.ts";
import type { TokenTransfer } from "../tokenTransfer.ts";
import { decodeErc20 } from "./erc20.ts";
import { decodeErc721 } from "./erc721.ts";
import { decodeErc1155 } from "./erc1155.ts";
import type { LogLocation } from "./event.ts";
import { decodeWeth, dropRepeated } from "./weth.ts";

/** Token transfers of a transaction, in log order. Possible wraps of the native coin are marked. */
export function transfersOfLogs(logs: readonly Log[]): TokenTransfer[] {
  const transfers: TokenTransfer[] = [];
  let hasWraps = false;
  for (const log of logs) {
    if (collectTransfers(log, { logIndex: log.logIndex, transactionIndex: 0 }, transfers)) hasWraps = true;
  }
  if (hasWraps && transfers.length > 1) dropRepeated(transfers, 0);
  return transfers;
}

/** Returns whether the log may be a wrap. */
export function collectTransfers(log: Log, location: LogLocation, transfers: TokenTransfer[]): boolean {
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

import type { Log, Receipt } from "../../chain/receipt.ts";
import type { TokenTransfer } from "../../chain/tokenTransfer.ts";
import { decodeErc20 } from "./erc20.ts";
import { decodeErc721 } from "./erc721.ts";
import { decodeErc1155 } from "./erc1155.ts";
import type { Place } from "./event.ts";
import { decodeWeth, repeats } from "./weth.ts";

/** The token transfers of a block, or of anything with its receipts, in chain order. Logs that only look alike are none. */
export function transfersOf(block: { readonly receipts: readonly Pick<Receipt, "logs">[] }): TokenTransfer[] {
  const transfers: TokenTransfer[] = [];
  let logIndex = 0;
  for (let transactionIndex = 0; transactionIndex < block.receipts.length; transactionIndex++) {
    const { logs } = block.receipts[transactionIndex]!;
    for (let at = 0; at < logs.length; at++) {
      collect(logs, at, { logIndex: logIndex++, transactionIndex }, transfers);
    }
  }
  return transfers;
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

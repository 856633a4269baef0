import type { Log } from "../../block/receipt.ts";
import type { TokenTransfer } from "../tokenTransfer.ts";
import type { LogLocation } from "./event.ts";
import { addressTopic, areAddresses, isLogOf, logEvent } from "./event.ts";

const TRANSFER = logEvent("Transfer(address,address,uint256)", 3);

export function decodeErc20(log: Log, { logIndex, transactionIndex }: LogLocation): TokenTransfer | undefined {
  if (!isLogOf(TRANSFER, log) || log.data.length !== 32 || !areAddresses(log, 1, 2)) return undefined;
  return {
    kind: "ERC-20",
    token: log.address,
    from: addressTopic(log, 1),
    to: addressTopic(log, 2),
    amount: log.data,
    logIndex,
    transactionIndex,
  };
}

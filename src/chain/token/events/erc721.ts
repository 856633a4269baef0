import type { Log } from "../../block/receipt.ts";
import type { Bytes } from "../../encoding/bytes.ts";
import type { TokenTransfer } from "../tokenTransfer.ts";
import type { LogLocation } from "./event.ts";
import { addressTopic, areAddresses, isLogOf, logEvent } from "./event.ts";

/** Same signature as ERC-20; distinguished by the third indexed parameter. */
const TRANSFER = logEvent("Transfer(address,address,uint256)", 4);

const ONE: Bytes = new Uint8Array(32).fill(1, 31);

export function decodeErc721(log: Log, { logIndex, transactionIndex }: LogLocation): TokenTransfer | undefined {
  if (!isLogOf(TRANSFER, log) || log.data.length !== 0 || !areAddresses(log, 1, 2)) return undefined;
  return {
    kind: "ERC-721",
    token: log.address,
    from: addressTopic(log, 1),
    to: addressTopic(log, 2),
    tokenId: log.topics.subarray(96, 128),
    amount: ONE,
    logIndex,
    transactionIndex,
  };
}

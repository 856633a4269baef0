import type { Log } from "../../chain/block/receipt.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { quantity, toHex } from "../../chain/encoding/hex.ts";
import type { Wire } from "../../chain/encoding/wire.ts";
import type { BlockLocation } from "./presentTransaction.ts";

export interface LogLocation extends BlockLocation {
  readonly transactionHash: Hex;
  readonly transactionIndex: Hex;
}

/** Keys in geth's order. */
export function presentLog(log: Log, location: LogLocation): Wire {
  return {
    address: toHex(log.address),
    topics: presentTopics(log.topics),
    data: toHex(log.data),
    blockNumber: location.blockNumber,
    transactionHash: location.transactionHash,
    transactionIndex: location.transactionIndex,
    blockHash: location.blockHash,
    blockTimestamp: location.blockTimestamp,
    logIndex: quantity(log.logIndex),
    removed: false,
  };
}

function presentTopics(topics: Log["topics"]): Hex[] {
  const shown: Hex[] = [];
  for (let at = 0; at < topics.length; at += 32) shown.push(toHex(topics.subarray(at, at + 32)));
  return shown;
}

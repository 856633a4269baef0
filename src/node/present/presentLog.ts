import type { Log } from "../../chain/block/receipt.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { quantity, toHex } from "../../chain/encoding/hex.ts";
import type { Wire } from "../../chain/encoding/wire.ts";
import type { ShownPlace } from "./presentTransaction.ts";

/** The transaction of a log, and its place. */
export interface LogPlace extends ShownPlace {
  readonly transactionHash: Hex;
  readonly transactionIndex: Hex;
}

/** A log of a block, in geth's order of keys. */
export function presentLog(log: Log, place: LogPlace): Wire {
  return {
    address: toHex(log.address),
    topics: presentTopics(log.topics),
    data: toHex(log.data),
    blockNumber: place.blockNumber,
    transactionHash: place.transactionHash,
    transactionIndex: place.transactionIndex,
    blockHash: place.blockHash,
    blockTimestamp: place.blockTimestamp,
    logIndex: quantity(log.logIndex),
    removed: false,
  };
}

function presentTopics(topics: Log["topics"]): Hex[] {
  const shown: Hex[] = [];
  for (let at = 0; at < topics.length; at += 32) shown.push(toHex(topics.subarray(at, at + 32)));
  return shown;
}

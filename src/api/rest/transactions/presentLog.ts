import type { Decoded } from "../../../chain/abi/resolve.ts";
import type { Bytes } from "../../../chain/encoding/bytes.ts";
import { toHex } from "../../../chain/encoding/hex.ts";
import type { AccountKinds } from "../../../store/accountKinds.ts";
import type { MinedLog } from "../../../store/logs.ts";
import type { Shape } from "../../openapi/values.ts";
import { presentAddress } from "../addresses/presentAddress.ts";
import { timestamp } from "../amounts.ts";
import type { LogSchema } from "./logSchema.ts";
import { presentEvent } from "./presentDecoded.ts";

/** A log with the names of several generations of clients (reference: rest-v2, alias pairs). */
export function presentLog(log: MinedLog, kinds: AccountKinds, decoded: Decoded | undefined): Shape<typeof LogSchema> {
  const { header, called } = log;
  const hash = toHex(log.transactionHash);
  return {
    transaction_hash: hash,
    tx_hash: hash,
    address: presentAddress(log.address, kinds),
    topics: presentTopics(log.topics),
    data: log.data === null ? null : toHex(log.data),
    index: log.logIndex,
    decoded: decoded === undefined ? null : presentEvent(decoded),
    smart_contract: called === null ? null : presentAddress(called, kinds),
    block_number: header.number,
    block_hash: toHex(header.hash),
    block_timestamp: timestamp(header.timestamp),
    ...(log.extra !== undefined && { extra: log.extra }),
  };
}

/** Clients read four, whatever there are. */
function presentTopics(topics: Bytes): (string | null)[] {
  return [0, 32, 64, 96].map((at) => (at < topics.length ? toHex(topics.subarray(at, at + 32)) : null));
}

/** The addresses a log's record names. */
export function addressesOfLog({ address, called }: MinedLog): Bytes[] {
  return called === null ? [address] : [address, called];
}

import type { Bytes } from "../../../chain/encoding/bytes.ts";
import { toHex } from "../../../chain/encoding/hex.ts";
import type { PageInfo, WalkInfo } from "../../../query/pages.ts";
import type { DecodedLog, LogPage } from "../../../query/transactions/logs.ts";
import { mapInTurns } from "../../../std/async.ts";
import type { AddressInfos } from "../../../store/read/addressInfos.ts";
import { cacheable } from "../../http/responseCache.ts";
import type { Shape } from "../../openapi/values.ts";
import { presentAddress } from "../addresses/presentAddress.ts";
import { timestamp } from "../amounts.ts";
import type { Envelope } from "../envelope.ts";
import { presentPage } from "../envelope.ts";
import type { LogSchema } from "./logSchema.ts";
import { presentEvent } from "./presentDecoded.ts";

/** Field names of several client generations (reference: rest-v2, alias pairs). */
function presentLog({ log, decoded }: DecodedLog, addresses: AddressInfos): Shape<typeof LogSchema> {
  const { header, called } = log;
  const hash = toHex(log.transactionHash);
  return {
    transaction_hash: hash,
    tx_hash: hash,
    address: presentAddress(log.address, addresses),
    topics: presentTopics(log.topics),
    data: log.data === null ? null : toHex(log.data),
    index: log.logIndex,
    decoded: decoded === undefined ? null : presentEvent(decoded),
    smart_contract: called === null ? null : presentAddress(called, addresses),
    block_number: header.number,
    block_hash: toHex(header.hash),
    block_timestamp: timestamp(header.timestamp),
    ...(log.extra !== undefined && { extra: log.extra }),
    ...(log.omittedFields !== undefined && { extra_omitted: log.omittedFields }),
  };
}

/** Padded to four, which clients expect. */
function presentTopics(topics: Bytes): (string | null)[] {
  return [0, 32, 64, 96].map((at) => (at < topics.length ? toHex(topics.subarray(at, at + 32)) : null));
}

export async function presentLogPage({
  logs,
  addresses,
  info,
  scope,
}: LogPage<PageInfo | WalkInfo>): Promise<Envelope<Shape<typeof LogSchema>>> {
  const items = await mapInTurns(logs, (log) => presentLog(log, addresses));
  return cacheable(scope, presentPage(items, info));
}

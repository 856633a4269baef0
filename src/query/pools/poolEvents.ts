import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import type { PoolType } from "../../chain/exchange/exchangeFields.ts";
import type { ExchangeEvent } from "../../chain/exchange/exchangeLog.ts";
import { EXCHANGE_TOPICS } from "../../chain/exchange/exchangeLog.ts";
import type { PoolLog } from "../../chain/exchange/poolLog.ts";
import { readPoolLog } from "../../chain/exchange/poolLog.ts";
import { readEventLogs } from "../../store/read/eventLogs.ts";
import type { MinedLog } from "../../store/read/logs.ts";
import type { QueryContext } from "../context.ts";
import type { ListPage } from "./exchangeTokens.ts";
import type { PoolRecord } from "./poolRecords.ts";
import { readPool } from "./poolRecords.ts";

export const EVENT_TYPES = ["swap", "mint", "burn", "collect"] as const;

export type PoolEventType = (typeof EVENT_TYPES)[number];

const EVENTS: Readonly<Record<PoolType, Readonly<Record<PoolEventType, readonly ExchangeEvent[]>>>> = {
  v2: { swap: ["swapV2"], mint: ["mintV2"], burn: ["burnV2"], collect: [] },
  v3: { swap: ["swapV3", "swapPancake"], mint: ["mintV3"], burn: ["burnV3"], collect: ["collect"] },
};

export interface PoolEvent extends PoolLog {
  readonly transactionHash: Bytes;
  /** Who sent the transaction. */
  readonly origin: Bytes;
  readonly block: number;
  readonly timestamp: number;
  readonly logIndex: number;
}

interface EventPage {
  readonly record: PoolRecord;
  readonly events: readonly PoolEvent[];
  readonly total: number;
}

interface EventRequest extends ListPage {
  readonly types: readonly PoolEventType[];
}

/** Newest first; undefined if there is no such pool. */
export function listPoolEvents(
  { exchange }: QueryContext,
  address: Hex,
  { page, pageSize, types }: EventRequest,
): Promise<EventPage | undefined> {
  return exchange.read(async (session, view) => {
    const record = await readPool(session, view, exchange.settings, address);
    if (record === undefined || view.range === undefined) return undefined;
    const { pool } = record;
    const events = types.flatMap((type) => EVENTS[pool.type][type]);
    const signatures = events.map((event) => EXCHANGE_TOPICS[event]);
    const part = { skipped: (page - 1) * pageSize, count: pageSize };
    const { total, positions } = await readEventLogs(session, pool.address, signatures, part);
    const logs = await session.logs.at(positions);
    return { record, events: logs.flatMap((log) => readEvent(log) ?? []), total };
  });
}

/** Undefined unless the log has the form of its event. */
function readEvent({ data, ...mined }: MinedLog): PoolEvent | undefined {
  const found = data === null ? undefined : readPoolLog({ ...mined, data });
  const { header, transactionHash, sender: origin, logIndex } = mined;
  return found && { ...found, transactionHash, origin, logIndex, block: header.number, timestamp: header.timestamp };
}

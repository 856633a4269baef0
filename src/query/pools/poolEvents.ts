import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import type { PoolType } from "../../chain/exchange/exchangeFields.ts";
import { isSingleton } from "../../chain/exchange/exchangeFields.ts";
import type { ExchangeEvent } from "../../chain/exchange/exchangeLog.ts";
import { EXCHANGE_TOPICS } from "../../chain/exchange/exchangeLog.ts";
import type { PoolLog } from "../../chain/exchange/poolLog.ts";
import { readPoolLog } from "../../chain/exchange/poolLog.ts";
import { readEventLogs } from "../../store/read/eventLogs.ts";
import type { MinedLog } from "../../store/read/logs.ts";
import type { ReadSession } from "../../store/session.ts";
import type { QueryContext } from "../context.ts";
import type { ExchangeView } from "../exchange/exchangeView.ts";
import type { ListedPool } from "../exchange/listedPools.ts";
import type { ListPage } from "./exchangeTokens.ts";
import type { PoolRecord } from "./poolRecords.ts";
import { readPool } from "./poolRecords.ts";
import { readSingletonLogs } from "./singletonLogs.ts";

export const EVENT_TYPES = ["swap", "mint", "burn", "collect"] as const;

export type PoolEventType = (typeof EVENT_TYPES)[number];

type EventsByType = Readonly<Record<PoolEventType, readonly ExchangeEvent[]>>;

const SOLIDLY: EventsByType = {
  ...{ swap: ["swapV2", "swapSolidly"], mint: ["mintV2"] },
  ...{ burn: ["burnV2", "burnSolidly"], collect: ["claim"] },
};

const EVENTS: Readonly<Record<Exclude<PoolType, "v4" | "infinity">, EventsByType>> = {
  v2: { swap: ["swapV2"], mint: ["mintV2"], burn: ["burnV2"], collect: [] },
  v3: { swap: ["swapV3", "swapPancake"], mint: ["mintV3"], burn: ["burnV3"], collect: ["collect"] },
  algebra: {
    ...{ swap: ["swapV3", "swapAlgebra"], mint: ["mintV3"] },
    ...{ burn: ["burnV3", "burnAlgebra"], collect: ["collect"] },
  },
  volatile: SOLIDLY,
  stable: SOLIDLY,
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
  request: EventRequest,
): Promise<EventPage | undefined> {
  return exchange.read(async (session, view) => {
    const record = await readPool(session, view, exchange.settings, address);
    if (record === undefined || view.range === undefined) return undefined;
    const { pool } = record;
    if (isSingleton(pool.type)) return { record, ...(await readSingletonEvents(session, view, pool, request)) };
    const { page, pageSize, types } = request;
    const known = EVENTS[pool.type];
    const events = types.flatMap((type) => known[type]);
    const signatures = events.map((event) => EXCHANGE_TOPICS[event]);
    const part = { skipped: (page - 1) * pageSize, count: pageSize };
    const { total, positions } = await readEventLogs(session, pool.address, signatures, part);
    const logs = await session.logs.at(positions);
    return { record, events: logs.flatMap((log) => readEvent(log) ?? []), total };
  });
}

async function readSingletonEvents(
  session: ReadSession,
  { now }: ExchangeView,
  { id }: ListedPool,
  { types, ...page }: EventRequest,
): Promise<Pick<EventPage, "events" | "total">> {
  const kinds = types.filter((type) => type !== "collect");
  const { total, changes } = await readSingletonLogs(session, id, now.states.get(id), kinds, page);
  const logs = await session.logs.at(changes.map(({ position }) => position));
  const events = logs.flatMap((log, at): PoolEvent[] => {
    const [event, { kind, amount0, amount1 }] = [readEvent(log), changes[at]!];
    return event === undefined ? [] : [kind === "swap" ? event : { ...event, amount0, amount1 }];
  });
  return { events, total };
}

/** Undefined unless the log has the form of its event. */
function readEvent({ data, ...mined }: MinedLog): PoolEvent | undefined {
  const found = data === null ? undefined : readPoolLog({ ...mined, data });
  const { header, transactionHash, sender: origin, logIndex } = mined;
  return found && { ...found, transactionHash, origin, logIndex, block: header.number, timestamp: header.timestamp };
}

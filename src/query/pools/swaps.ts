import type { Log } from "../../chain/block/receipt.ts";
import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import type { PoolSwap } from "../../chain/exchange/exchangeFields.ts";
import { isSingleton, readSwapV2, readSwapV3 } from "../../chain/exchange/exchangeFields.ts";
import type { ExchangeEvent } from "../../chain/exchange/exchangeLog.ts";
import { EXCHANGE_TOPICS, exchangeEventOf } from "../../chain/exchange/exchangeLog.ts";
import { readSwapV4 } from "../../chain/exchange/singleton.ts";
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

export interface MinedSwap extends PoolSwap {
  readonly transactionHash: Bytes;
  /** Who sent the transaction. */
  readonly trader: Bytes;
  readonly block: number;
  readonly timestamp: number;
  readonly logIndex: number;
}

interface SwapPage {
  readonly record: PoolRecord;
  readonly swaps: readonly MinedSwap[];
  readonly total: number;
}

/** Newest first; undefined if there is no such pool. */
export function listSwaps({ exchange }: QueryContext, address: Hex, page: ListPage): Promise<SwapPage | undefined> {
  return exchange.read(async (session, view) => {
    const record = await readPool(session, view, exchange.settings, address);
    if (record === undefined || view.range === undefined) return undefined;
    return { record, ...(await readSwaps(session, view, record.pool, page)) };
  });
}

const EVENTS = {
  v2: ["swapV2"],
  v3: ["swapV3", "swapPancake"],
  algebra: ["swapV3", "swapAlgebra"],
  volatile: ["swapV2", "swapSolidly"],
  stable: ["swapV2", "swapSolidly"],
} as const satisfies Record<string, ExchangeEvent[]>;

async function readSwaps(session: ReadSession, { now }: ExchangeView, pool: ListedPool, request: ListPage) {
  const { id, address, type } = pool;
  if (isSingleton(type)) {
    const { total, changes } = await readSingletonLogs(session, id, now.states.get(id), ["swap"], request);
    const logs = await session.logs.at(changes.map(({ position }) => position));
    return { swaps: logs.flatMap((log) => readSwap(log) ?? []), total };
  }
  const { page, pageSize } = request;
  const signatures = EVENTS[type].map((event) => EXCHANGE_TOPICS[event]);
  const part = { skipped: (page - 1) * pageSize, count: pageSize };
  const { total, positions } = await readEventLogs(session, address, signatures, part);
  const logs = await session.logs.at(positions);
  return { swaps: logs.flatMap((log) => readSwap(log) ?? []), total };
}

function readSwapOf(event: ExchangeEvent, log: Log): PoolSwap {
  if (event === "swapV2" || event === "swapSolidly") return readSwapV2(log);
  return event === "swapV4" || event === "swapInfinity" ? readSwapV4(log) : readSwapV3(log);
}

/** Undefined unless the data is that of a swap. */
function readSwap({ data, ...mined }: MinedLog): MinedSwap | undefined {
  if (data === null) return undefined;
  const log = { ...mined, data };
  const event = exchangeEventOf(log);
  if (event === undefined) return undefined;
  const swap = readSwapOf(event, log);
  const { header, transactionHash, logIndex, sender } = mined;
  return { ...swap, transactionHash, trader: sender, logIndex, block: header.number, timestamp: header.timestamp };
}

import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import type { PoolSwap } from "../../chain/exchange/exchangeFields.ts";
import { readSwapV2, readSwapV3 } from "../../chain/exchange/exchangeFields.ts";
import type { ExchangeEvent } from "../../chain/exchange/exchangeLog.ts";
import { EXCHANGE_TOPICS, exchangeEventOf } from "../../chain/exchange/exchangeLog.ts";
import type { Candidates } from "../../store/read/logSearch.ts";
import { planLogSearch } from "../../store/read/logSearch.ts";
import type { MinedLog } from "../../store/read/logs.ts";
import type { ReadSession } from "../../store/session.ts";
import type { QueryContext } from "../context.ts";
import type { ListedPool } from "../exchange/listedPools.ts";
import type { IndexedRange } from "../indexedRange.ts";
import type { ListPage } from "./exchangeTokens.ts";
import type { PoolRecord } from "./poolRecords.ts";
import { readPool } from "./poolRecords.ts";

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
    return { record, ...(await readSwaps(session, view.range, record.pool, page)) };
  });
}

const EVENTS = { v2: ["swapV2"], v3: ["swapV3", "swapPancake"] } as const;

async function readSwaps(
  session: ReadSession,
  range: IndexedRange,
  { address, type }: ListedPool,
  { page, pageSize }: ListPage,
): Promise<Pick<SwapPage, "swaps" | "total">> {
  const events: readonly ExchangeEvent[] = EVENTS[type];
  for (const event of events) {
    const found = await findPoolEvents(session, range, address, event);
    if (found === undefined || found.total === 0) continue;
    const { total } = found;
    const to = Math.max(total - (page - 1) * pageSize, 0);
    const from = Math.max(to - pageSize, 0);
    const positions = await found.positions(session, from, to - from);
    const logs = await session.logs.at(positions.reverse());
    return { swaps: logs.flatMap((log) => readSwap(log) ?? []), total };
  }
  return { swaps: [], total: 0 };
}

/** Logs of an event that a pool emitted, oldest first; undefined if the index knows none. */
export async function findPoolEvents(
  session: ReadSession,
  range: IndexedRange,
  address: Bytes,
  event: ExchangeEvent,
): Promise<Candidates | undefined> {
  const topics = [EXCHANGE_TOPICS[event]];
  const accepts = (found: number) => (found & 1) !== 0;
  const plan = await planLogSearch(session, { address, topics, accepts, from: range.first, to: range.tip.number });
  return plan?.candidates;
}

/** Undefined unless the data is that of a swap. */
function readSwap({ data, ...mined }: MinedLog): MinedSwap | undefined {
  if (data === null) return undefined;
  const log = { ...mined, data };
  const event = exchangeEventOf(log);
  if (event === undefined) return undefined;
  const swap = event === "swapV2" ? readSwapV2(log) : readSwapV3(log);
  const { header, transactionHash, logIndex, sender } = mined;
  return { ...swap, transactionHash, trader: sender, logIndex, block: header.number, timestamp: header.timestamp };
}

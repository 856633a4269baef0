import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { readAmounts, readBurnV3, readMintV3 } from "../../chain/exchange/exchangeFields.ts";
import type { ExchangeEvent } from "../../chain/exchange/exchangeLog.ts";
import { exchangeEventOf } from "../../chain/exchange/exchangeLog.ts";
import type { MinedLog } from "../../store/read/logs.ts";
import type { ReadSession } from "../../store/session.ts";
import type { QueryContext } from "../context.ts";
import type { ListedPool } from "../exchange/listedPools.ts";
import type { IndexedRange } from "../indexedRange.ts";
import type { ListPage } from "./exchangeTokens.ts";
import { readPool } from "./poolRecords.ts";
import { findPoolEvents } from "./swaps.ts";

/** A V3 pool notes what is removed, and pays it when it is collected, with the fees. */
type LiquidityKind = "add" | "remove" | "collect";

export interface PoolLiquidity {
  readonly kind: LiquidityKind;
  readonly amount0: bigint;
  readonly amount1: bigint;
  /** Ticks of the position; undefined in pairs. */
  readonly ticks: readonly [lower: number, upper: number] | undefined;
  readonly transactionHash: Bytes;
  /** Who sent the transaction. */
  readonly provider: Bytes;
  readonly timestamp: number;
  readonly logIndex: number;
}

interface LiquidityPage {
  readonly changes: readonly PoolLiquidity[];
  readonly total: number;
}

/** The lists of several events are merged, so that pages are read from the newest. */
export const MAX_LIQUIDITY = 1000;

const EVENTS = { v2: ["mintV2", "burnV2"], v3: ["mintV3", "burnV3", "collect"] } as const;

/** Newest first, the last 1,000; undefined if there is no such pool. */
export function listLiquidity(
  { exchange }: QueryContext,
  address: Hex,
  page: ListPage,
): Promise<LiquidityPage | undefined> {
  return exchange.read(async (session, view) => {
    const record = await readPool(session, view, exchange.settings, address);
    if (record === undefined || view.range === undefined) return undefined;
    return readLiquidity(session, view.range, record.pool, page);
  });
}

async function readLiquidity(
  session: ReadSession,
  range: IndexedRange,
  { address, type }: ListedPool,
  { page, pageSize }: ListPage,
): Promise<LiquidityPage> {
  const found = await Promise.all(EVENTS[type].map((event) => findPoolEvents(session, range, address, event)));
  const total = Math.min(
    found.reduce((sum, list) => sum + (list?.total ?? 0), 0),
    MAX_LIQUIDITY,
  );
  const [from, to] = [(page - 1) * pageSize, Math.min(page * pageSize, total)];
  if (from >= to) return { changes: [], total };
  const newest = await Promise.all(
    found.map((list) => {
      const skipped = Math.max((list?.total ?? 0) - to, 0);
      return list?.positions(session, skipped, list.total - skipped) ?? [];
    }),
  );
  const positions = newest.flat().sort((a, b) => b - a);
  const logs = await session.logs.at(positions.slice(from, to));
  return { changes: logs.flatMap((log) => readChange(log) ?? []), total };
}

const KINDS: Partial<Readonly<Record<ExchangeEvent, LiquidityKind>>> = {
  mintV2: "add",
  mintV3: "add",
  burnV2: "remove",
  burnV3: "remove",
  collect: "collect",
};

/** Undefined unless the log has the form of such an event. */
function readChange({ data, ...mined }: MinedLog): PoolLiquidity | undefined {
  if (data === null) return undefined;
  const log = { ...mined, data };
  const event = exchangeEventOf(log);
  const kind = event && KINDS[event];
  if (event === undefined || kind === undefined) return undefined;
  const { header, transactionHash, logIndex, sender } = mined;
  const where = { transactionHash, logIndex, provider: sender, timestamp: header.timestamp };
  if (event === "mintV2" || event === "burnV2") {
    const [amount0, amount1] = readAmounts(log);
    return { kind, amount0, amount1, ticks: undefined, ...where };
  }
  // The ticks of a collection are where those of a burn are.
  const { tickLower, tickUpper, ...change } = event === "mintV3" ? readMintV3(log) : readBurnV3(log);
  const [amount0, amount1] = event === "collect" ? readAmounts(log, 1) : [change.amount0, change.amount1];
  return { kind, amount0, amount1, ticks: [tickLower, tickUpper], ...where };
}

import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { fromHex } from "../../chain/encoding/hex.ts";
import { ChainError } from "../../chain/error.ts";
import { isPairType } from "../../chain/exchange/exchangeFields.ts";
import { Turn } from "../../std/async.ts";
import { defined } from "../../std/values.ts";
import type { Position } from "../../store/rows/position.ts";
import { blockOf, firstPosition } from "../../store/rows/position.ts";
import type { ReadSession } from "../../store/session.ts";
import type { QueryContext } from "../context.ts";
import type { ExchangeView } from "../exchange/exchangeView.ts";
import type { ListedPool } from "../exchange/listedPools.ts";
import type { ListPage } from "./exchangeTokens.ts";
import { knownWorth, readPastSides } from "./pastValues.ts";
import type { PoolRecord } from "./poolRecords.ts";
import { readPools } from "./poolRecords.ts";
import type { PositionName } from "./positionName.ts";
import { storedIdOf } from "./positionName.ts";
import type { ShareEvent } from "./readShares.ts";
import { MAX_SHARE_EVENTS, readShareEvents } from "./readShares.ts";

/** Liquidity that came or went, or fees that were collected. */
export interface LiquidityEvent extends ShareEvent {
  readonly transactionHash: Bytes;
  readonly logIndex: number;
  readonly block: number;
  readonly timestamp: number;
  /** At the prices after its block, in units of 1 / SCALE dollars; undefined where they are not known. */
  readonly value: bigint | undefined;
}

interface LiquidityPage {
  readonly record: PoolRecord;
  readonly events: readonly LiquidityEvent[];
  readonly total: number;
  readonly block: number;
}

/** Blocks with changes of a position that are looked at. */
export const MAX_CHANGES = 10_000;

const BATCH_SIZE = 500;

/** Newest first; undefined if there is no such position. */
export function listLiquidity(
  { exchange }: QueryContext,
  user: Hex,
  name: PositionName,
  page: ListPage,
): Promise<LiquidityPage | undefined> {
  return exchange.read(async (session, view) => {
    const found = view.range && (await findEvents(session, view, fromHex(user), name, page));
    if (found === undefined || view.range === undefined) return undefined;
    const { pool, events, total } = found;
    const [logs, [record], sides] = await Promise.all([
      session.logs.at(events.map(({ position }) => position)),
      readPools(session, view, exchange.settings, [pool]),
      readPastSides(session, view, exchange.settings, pool, new Set(pool.isNamed ? events.map(blockOfEvent) : [])),
    ]);
    const mined = events.map((event, at): LiquidityEvent => {
      const { header, transactionHash, logIndex } = defined(logs[at]);
      const { number: block, timestamp } = header;
      const known = sides.get(block);
      const value = event.amounts && known && knownWorth(event.amounts, known);
      return { ...event, transactionHash, logIndex, block, timestamp, value };
    });
    return { record: defined(record), events: mined, total, block: view.range.tip.number };
  });
}

const blockOfEvent = ({ position }: ShareEvent): number => blockOf(position);

interface FoundEvents {
  readonly pool: ListedPool;
  readonly events: readonly ShareEvent[];
  readonly total: number;
}

async function findEvents(
  session: ReadSession,
  view: ExchangeView,
  user: Bytes,
  name: PositionName,
  request: ListPage,
): Promise<FoundEvents | undefined> {
  const { page, pageSize } = request;
  const pool = name.kind === "token" ? undefined : view.listing.poolsByHex.get(name.pool);
  if (name.kind !== "shares") return findChanges(session, view, storedIdOf(name, user, pool), request);
  if (pool === undefined || !isPairType(pool.type)) return undefined;
  const all = await readShareEvents(session, view, pool, user);
  if (all === undefined) {
    throw new ChainError("limit_exceeded", `more than ${MAX_SHARE_EVENTS} transfers of shares, or claims of the pool`);
  }
  return { pool, events: all.slice((page - 1) * pageSize, page * pageSize), total: all.length };
}

/** Of a position between two ticks, whose rows have the events of their blocks. */
async function findChanges(
  session: ReadSession,
  { listing }: ExchangeView,
  id: Bytes | undefined,
  { page, pageSize }: ListPage,
): Promise<FoundEvents | undefined> {
  if (id === undefined) return undefined;
  const events: ShareEvent[] = [];
  const turn = new Turn();
  let [before, rows] = [
    Number.MAX_SAFE_INTEGER,
    await session.exchange.positionHistory(id, Number.MAX_SAFE_INTEGER, 1),
  ];
  const [, newest] = rows[0] ?? [];
  const pool = newest && listing.pools.find((one) => one.id === newest.pool);
  if (newest === undefined || pool === undefined) return undefined;
  const total = newest.events;
  const [start, end] = [(page - 1) * pageSize, Math.min(page * pageSize, total)];
  let skipped = 0;
  for (let seen = 0; skipped + events.length < end && start < total; seen += rows.length) {
    if (seen >= MAX_CHANGES) throw new ChainError("limit_exceeded", `more than ${MAX_CHANGES} changes of the position`);
    rows = await session.exchange.positionHistory(id, before, BATCH_SIZE);
    for (const [block, { last }] of rows) {
      for (const { kind, slot, amounts } of last.toReversed()) {
        const position: Position = firstPosition(block) + slot;
        if (skipped < start) skipped++;
        else events.push({ type: kind, position, shares: undefined, amounts });
      }
    }
    before = rows.at(-1)?.[0] ?? 0;
    if (rows.length < BATCH_SIZE) break;
    await turn.yieldToEventLoop();
  }
  return { pool, events: events.slice(0, pageSize), total };
}

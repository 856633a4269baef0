import { toHex } from "../../chain/encoding/hex.ts";
import { ChainError } from "../../chain/error.ts";
import type { ExchangeEvent } from "../../chain/exchange/exchangeLog.ts";
import { EXCHANGE_TOPICS } from "../../chain/exchange/exchangeLog.ts";
import type { PoolLog } from "../../chain/exchange/poolLog.ts";
import { readPoolLog } from "../../chain/exchange/poolLog.ts";
import { readEventParts, readSpanLogs } from "../../store/read/eventLogs.ts";
import type { MinedLog } from "../../store/read/logs.ts";
import type { Position } from "../../store/rows/position.ts";
import type { SubgraphKind, SubgraphPool } from "./subgraphMarket.ts";
import type { SubgraphState } from "./subgraphState.ts";

export const EVENT_KINDS = ["swap", "mint", "burn", "collect"] as const;

export type EventKind = (typeof EVENT_KINDS)[number];

export interface SubgraphEvent {
  readonly pool: SubgraphPool;
  readonly position: Position;
  readonly log: MinedLog & { readonly data: NonNullable<MinedLog["data"]> };
  readonly change: PoolLog;
}

export interface EventRequest {
  readonly kinds: readonly EventKind[];
  /** Undefined for those of all pools. */
  readonly pools: readonly SubgraphPool[] | undefined;
  /** Blocks, both included. */
  readonly from: number;
  readonly to: number;
  readonly isDescending: boolean;
  readonly first: number;
  readonly skip: number;
}

const EVENTS: Readonly<Record<SubgraphKind, Readonly<Record<EventKind, readonly ExchangeEvent[]>>>> = {
  v2: { swap: ["swapV2"], mint: ["mintV2"], burn: ["burnV2"], collect: [] },
  v3: { swap: ["swapV3", "swapPancake"], mint: ["mintV3"], burn: ["burnV3"], collect: ["collect"] },
};

/** Logs that one request looks at. */
const MAX_LOGS = 20_000;

/** Pools whose lists are read one by one. */
export const MAX_POOLS = 200;
const BATCH_SIZE = 20;

/** In chain order, or the newest first. */
export async function listEvents(state: SubgraphState, request: EventRequest): Promise<readonly SubgraphEvent[]> {
  const { skip, first, pools, from, to } = request;
  const end = skip + first;
  if (from > to || first === 0 || pools?.length === 0) return [];
  const isFew = pools !== undefined && pools.length <= MAX_POOLS;
  if (isFew && pools.length * end > 10 * MAX_LOGS) throw tooMany();
  for (let count = end; ; count = Math.min(2 * count, MAX_LOGS)) {
    const { positions, isAll } = await (isFew ? takeOfEach(state, request, count) : walk(state, request, count));
    if (!request.kinds.includes("burn")) return readEvents(state, positions.slice(skip, end));
    const found = await readEvents(state, positions);
    if (isAll || found.length >= end) return found.slice(skip, end);
    if (count === MAX_LOGS) throw tooMany();
  }
}

const tooMany = () =>
  new ChainError(
    "limit_exceeded",
    "too many blocks or logs would be looked at; name a pool, or a shorter time in `where`",
  );

interface Taken {
  readonly positions: readonly Position[];
  /** Whether there are no more. */
  readonly isAll: boolean;
}

function topicsOf({ kind }: SubgraphState, { kinds }: EventRequest) {
  return kinds.flatMap((each) => EVENTS[kind][each]).map((event) => EXCHANGE_TOPICS[event]);
}

const inOrder = (positions: readonly Position[], { isDescending }: EventRequest) =>
  positions.toSorted((one, other) => (isDescending ? other - one : one - other));

async function takeOfEach(state: SubgraphState, request: EventRequest, count: number): Promise<Taken> {
  const { pools = [], from, to, isDescending } = request;
  const emitters = pools.map(({ pool }) => pool.address);
  const [topics, part] = [topicsOf(state, request), { from, to, isDescending, count }];
  const parts: Position[][] = [];
  for (let at = 0; at < emitters.length; at += BATCH_SIZE) {
    parts.push(...(await readEventParts(state.session, emitters.slice(at, at + BATCH_SIZE), topics, part)));
  }
  const isAll = parts.every(({ length }) => length < count) && parts.flat().length <= count;
  return { positions: inOrder(parts.flat(), request).slice(0, count), isAll };
}

/** Blocks with changes of the first part of a walk; each part is twice as long as the one before. */
const FIRST_PART = 64;
const MAX_PART = 2048;

/** Blocks with changes that a walk looks at. */
export const MAX_BLOCKS = 20_000;

/** Through the blocks that changed pools. */
async function walk(state: SubgraphState, request: EventRequest, count: number): Promise<Taken> {
  const { session, market } = state;
  const { isDescending } = request;
  const wanted = request.pools && new Set(request.pools);
  const emitterOf = (id: number) => {
    const found = market.poolsById.get(id);
    return found === undefined || wanted?.has(found) === false ? [] : found.pool.address;
  };
  const topics = topicsOf(state, request);
  const found: Position[] = [];
  let [from, to] = [request.from, request.to];
  let [logs, blocks] = [10 * MAX_LOGS, MAX_BLOCKS];
  for (let limit = FIRST_PART; ; limit = Math.min(2 * limit, MAX_PART)) {
    const changed = await session.exchange.someTouched(from, to, { limit, isDescending });
    const numbers = changed.map(({ block }) => block);
    const span = { from: Math.min(...numbers), to: Math.max(...numbers), limit: logs };
    const touched = new Set(changed.flatMap(({ pools }) => pools));
    const emitters = [...touched].flatMap(emitterOf);
    const some = emitters.length === 0 ? [] : await readSpanLogs(session, emitters, topics, span);
    if (some === undefined) throw tooMany();
    found.push(...inOrder(some, request));
    const isEnd = changed.length < limit;
    if (isEnd || found.length >= count)
      return { positions: found.slice(0, count), isAll: isEnd && found.length <= count };
    [logs, blocks] = [logs - some.length, blocks - changed.length];
    if (blocks <= 0) throw tooMany();
    if (isDescending) to = span.from - 1;
    else from = span.to + 1;
  }
}

/** In the order of the positions, without burns of nothing, which only update the fees that are owed. */
export async function readEvents(state: SubgraphState, positions: readonly Position[]): Promise<SubgraphEvent[]> {
  const logs = await state.session.logs.at(positions);
  return logs.flatMap((log, at) => eventOf(state, log, positions[at]!) ?? []);
}

/** Undefined unless it is an event of a pool of the subgraph. */
export function eventOf({ market, kind }: SubgraphState, { data, ...mined }: MinedLog, position: Position) {
  const pool = market.pools.get(toHex(mined.address));
  if (pool === undefined || data === null) return undefined;
  const log = { ...mined, data };
  const change = readPoolLog(log);
  const isListed = change !== undefined && (kind === "v3" || change.type !== "collect") && change.liquidity !== 0n;
  return isListed ? { pool, position, log, change } : undefined;
}

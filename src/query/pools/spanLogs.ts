import { toHex } from "../../chain/encoding/hex.ts";
import { ChainError } from "../../chain/error.ts";
import { isPairType, isSingleton } from "../../chain/exchange/exchangeFields.ts";
import type { ExchangeEvent } from "../../chain/exchange/exchangeLog.ts";
import { EXCHANGE_TOPICS } from "../../chain/exchange/exchangeLog.ts";
import { readSpanLogs } from "../../store/read/eventLogs.ts";
import type { MinedLog } from "../../store/read/logs.ts";
import type { Position } from "../../store/rows/position.ts";
import { firstPosition } from "../../store/rows/position.ts";
import type { ReadSession } from "../../store/session.ts";
import type { AdapterPool } from "./adapterPools.ts";

export interface BlockSpan {
  readonly from: number;
  readonly to: number;
}

export interface AdapterLog extends AdapterPool {
  readonly position: Position;
  readonly log: MinedLog;
  /** Of a change of liquidity of V4 or Infinity, whose log does not say them; positive into the pool. */
  readonly amounts: readonly [amount0: bigint, amount1: bigint] | undefined;
}

/** Of one answer, unless it is about a single block. */
export const MAX_EVENT_LOGS = 20_000;

/** Logs of pools that are looked at for them. */
const MAX_LISTED = 10 * MAX_EVENT_LOGS;

const PAIR_EVENTS = [
  ...["sync", "syncSolidly", "swapV2", "swapSolidly"],
  ...["mintV2", "burnV2", "burnSolidly"],
] as readonly ExchangeEvent[];

/** What a burn releases stays in the pool until it is collected. */
const TICK_EVENTS = [
  ...["swapV3", "swapPancake", "swapAlgebra"],
  ...["mintV3", "collect", "collectProtocol", "flash"],
] as readonly ExchangeEvent[];

/** Logs that move what pools hold, in chain order. */
export async function readAdapterLogs(
  session: ReadSession,
  pools: readonly AdapterPool[],
  span: BlockSpan,
  maxLogs = MAX_EVENT_LOGS,
): Promise<AdapterLog[]> {
  const placed = pools.filter(({ pool }) => !isSingleton(pool.type));
  const [positions, changes] = await Promise.all([
    readPositions(session, placed, span),
    readSingletons(session, pools, span),
  ]);
  const all = [...positions, ...changes.keys()].sort((one, other) => one - other);
  if (all.length > maxLogs && span.from < span.to) throw tooMany();
  const byAddress = new Map(placed.map((one) => [one.pool.hex, one]));
  const logs = await session.logs.at(all, Number.POSITIVE_INFINITY);
  return logs.flatMap((log, at) => {
    const position = all[at]!;
    const found = changes.get(position) ?? byAddress.get(toHex(log.address));
    return found === undefined ? [] : [{ amounts: undefined, ...found, position, log }];
  });
}

const tooMany = () =>
  new ChainError("limit_exceeded", `more than ${MAX_EVENT_LOGS} logs of pools are in these blocks; ask for fewer`);

async function readPositions(
  session: ReadSession,
  pools: readonly AdapterPool[],
  { from, to }: BlockSpan,
): Promise<Position[]> {
  const limit = from < to ? MAX_LISTED : Number.POSITIVE_INFINITY;
  const read = async (isPair: boolean, events: readonly ExchangeEvent[]) => {
    const emitters = pools.filter(({ pool }) => isPairType(pool.type) === isPair).map(({ pool }) => pool.address);
    if (emitters.length === 0) return [];
    const signatures = events.map((event) => EXCHANGE_TOPICS[event]);
    const found = await readSpanLogs(session, emitters, signatures, { from, to, limit });
    if (found === undefined) throw tooMany();
    return found;
  };
  return (await Promise.all([read(true, PAIR_EVENTS), read(false, TICK_EVENTS)])).flat();
}

type Singletons = ReadonlyMap<Position, AdapterPool & Pick<AdapterLog, "amounts">>;

/** Pools whose states are in memory at a time. */
const BATCH_SIZE = 20;

/** Logs of pools without an address, which their states name. */
async function readSingletons(
  session: ReadSession,
  pools: readonly AdapterPool[],
  { from, to }: BlockSpan,
): Promise<Singletons> {
  const read = async (one: AdapterPool) => {
    const states = await session.exchange.history(one.pool.id, from, to, MAX_EVENT_LOGS);
    return states.flatMap(({ block, singleton }) =>
      (singleton?.logs ?? []).map(({ slot, kind, amount0, amount1 }) => {
        const amounts = kind === "swap" ? undefined : ([amount0, amount1] as const);
        return [firstPosition(block) + slot, { ...one, amounts }] as const;
      }),
    );
  };
  const singletons = pools.filter(({ pool }) => isSingleton(pool.type));
  const found = new Map<Position, AdapterPool & Pick<AdapterLog, "amounts">>();
  for (let at = 0; at < singletons.length; at += BATCH_SIZE) {
    const logs = await Promise.all(singletons.slice(at, at + BATCH_SIZE).map(read));
    for (const [position, log] of logs.flat()) found.set(position, log);
    if (found.size > MAX_EVENT_LOGS && from < to) throw tooMany();
  }
  return found;
}

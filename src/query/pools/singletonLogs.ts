import { ChainError } from "../../chain/error.ts";
import { Turn } from "../../std/async.ts";
import type { Position } from "../../store/rows/position.ts";
import { firstPosition } from "../../store/rows/position.ts";
import type { ReadSession } from "../../store/session.ts";
import type { PoolState } from "../../store/stages/exchange/poolState.ts";
import type { SingletonKind, SingletonLog } from "../../store/stages/exchange/singletonState.ts";
import type { ListPage } from "./exchangeTokens.ts";

interface LoggedChange extends SingletonLog {
  readonly position: Position;
}

interface SingletonLogs {
  readonly total: number;
  /** Newest first. */
  readonly changes: readonly LoggedChange[];
}

/** Changes of a pool that are looked at. */
const MAX_ROWS = 50_000;
const BATCH_SIZE = 500;

/** The logs of a pool without an address, which its manager emits among those of all its pools. States name those of each block. */
export async function readSingletonLogs(
  session: ReadSession,
  pool: number,
  now: PoolState | undefined,
  kinds: readonly SingletonKind[],
  { page, pageSize }: ListPage,
): Promise<SingletonLogs> {
  const total = kinds.reduce((sum, kind) => sum + countOf(now, kind), 0);
  const end = Math.min(page * pageSize, total);
  const found: LoggedChange[] = [];
  const turn = new Turn();
  if ((page - 1) * pageSize >= total) return { total, changes: [] };
  for (let [before, rows] = [Number.MAX_SAFE_INTEGER, 0]; found.length < end; rows += BATCH_SIZE) {
    if (rows >= MAX_ROWS) throw new ChainError("limit_exceeded", `more than ${MAX_ROWS} changes of the pool`);
    const states = await session.exchange.recent(pool, before, BATCH_SIZE);
    for (const { block, singleton } of states) {
      const own = singleton?.logs.filter(({ kind }) => kinds.includes(kind)) ?? [];
      for (const log of own.toReversed()) found.push({ ...log, position: firstPosition(block) + log.slot });
    }
    if (states.length < BATCH_SIZE) break;
    before = states.at(-1)!.block;
    await turn.yieldToEventLoop();
  }
  return { total, changes: found.slice((page - 1) * pageSize, end) };
}

function countOf(state: PoolState | undefined, kind: SingletonKind): number {
  if (state === undefined) return 0;
  return kind === "swap" ? state.swaps : (state.singleton?.[`${kind}s`] ?? 0);
}

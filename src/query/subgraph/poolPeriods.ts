import { ChainError } from "../../chain/error.ts";
import { Turn } from "../../std/async.ts";
import type { PoolState } from "../../store/stages/exchange/poolState.ts";
import { NO_STATE } from "../../store/stages/exchange/poolState.ts";
import type { SubgraphPool } from "./subgraphMarket.ts";
import type { SubgraphState } from "./subgraphState.ts";

/** Seconds. */
export type PeriodStep = 3600 | 86_400;

/** A day or an hour in which a pool was used. */
export interface PoolPeriod {
  readonly pool: SubgraphPool;
  readonly step: PeriodStep;
  readonly start: number;
  /** After its last change in the period, and before the period. */
  readonly state: PoolState;
  readonly before: PoolState;
}

export interface PeriodRequest {
  readonly pool: SubgraphPool;
  readonly step: PeriodStep;
  /** Seconds, both included. */
  readonly from: number;
  readonly to: number;
  readonly isDescending: boolean;
  readonly first: number;
  readonly skip: number;
}

/** Periods that are looked at together, and by one request. */
const BATCH_SIZE = 500;
export const MAX_PERIODS = 20_000;

export async function listPeriods(state: SubgraphState, request: PeriodRequest): Promise<readonly PoolPeriod[]> {
  const { pool, step, isDescending, first, skip } = request;
  const [lowest, highest] = await boundsOf(state, request);
  const end = skip + first;
  const found: PoolPeriod[] = [];
  const turn = new Turn();
  for (let seen = 0; found.length < end && seen <= highest - lowest; seen += BATCH_SIZE) {
    if (seen >= MAX_PERIODS) throw new ChainError("limit_exceeded", TOO_MANY);
    const count = Math.min(BATCH_SIZE, highest - lowest + 1 - seen);
    const from = isDescending ? highest - seen - count + 1 : lowest + seen;
    const periods = await readPeriods(
      state,
      pool,
      step,
      Array.from({ length: count }, (_, at) => (from + at) * step),
    );
    found.push(...(isDescending ? periods.reverse() : periods));
    await turn.yieldToEventLoop();
  }
  return found.slice(skip, end);
}

const TOO_MANY = `more than ${MAX_PERIODS} periods would be looked at; name a shorter time in \`where\``;

/** Numbers of the first and the last period. */
async function boundsOf({ session, tip }: SubgraphState, { pool: { pool }, step, from, to }: PeriodRequest) {
  const created = (await session.blocks.stamps([pool.since])).get(pool.since)?.timestamp ?? 0;
  return [
    Math.ceil(Math.max(from, Math.floor(created / step) * step) / step),
    Math.floor(Math.min(to, tip.timestamp) / step),
  ] as const;
}

async function readPeriods(
  { session, range }: SubgraphState,
  pool: SubgraphPool,
  step: PeriodStep,
  starts: readonly number[],
): Promise<PoolPeriod[]> {
  const edges = [...starts, starts.at(-1)! + step].map((time) => time - 1);
  const blocks = await session.blocks.firstAfterEach(edges, range.first, range.tip.number + 1);
  const states = await session.exchange.statesAt(
    pool.pool.id,
    blocks.map((block) => block - 1),
  );
  return starts.flatMap((start, at) => {
    const [before, state] = [states[at] ?? NO_STATE, states[at + 1] ?? NO_STATE];
    return state.transactions === before.transactions ? [] : [{ pool, step, start, state, before }];
  });
}

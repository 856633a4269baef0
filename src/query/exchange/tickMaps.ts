import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { TickMap } from "../../exchange/ticks.ts";
import { tickMapOf } from "../../exchange/ticks.ts";
import { Mutex, Turn } from "../../std/async.ts";
import { LruCache } from "../../std/maps.ts";
import type { ReadSession } from "../../store/session.ts";
import type { Position } from "../../store/stages/exchange/position.ts";
import type { ExchangeView } from "./exchangeView.ts";
import { MAX_FOLLOWED } from "./poolStates.ts";

interface Known {
  readonly lineage: object;
  readonly block: number;
  readonly positions: ReadonlyMap<string, Position>;
  readonly ticks: TickMap;
}

/** Positions of pools that are kept in memory, and of a single pool. */
const MAX_KEPT = 100_000;
export const MAX_POSITIONS = 20_000;

const BATCH_SIZE = 500;

const keyOf = (id: Bytes) => Buffer.from(id).toString("latin1");

/** Borders of positions by pool, from the stored Mint and Burn logs. Pools with more than MAX_POSITIONS are left out. */
export class TickMaps {
  readonly #known = new LruCache<number, Known>(MAX_KEPT, ({ positions }) => 1 + positions.size);
  readonly #mutex = new Mutex();

  read(session: ReadSession, view: ExchangeView, pools: readonly number[]): Promise<Map<number, TickMap>> {
    return this.#mutex.run(() => this.#read(session, view, pools));
  }

  async #read(session: ReadSession, view: ExchangeView, pools: readonly number[]): Promise<Map<number, TickMap>> {
    const { lineage, now } = view;
    const found = new Map<number, TickMap>();
    const usable = (known: Known | undefined) => known?.lineage === lineage && known.block <= now.block;
    const changedAfter = (pool: number, { block }: Known) => (now.states.get(pool)?.block ?? -1) > block;
    const known = new Map(pools.map((pool) => [pool, this.#known.get(pool)] as const));
    const stale = pools.filter((pool) => usable(known.get(pool)) && changedAfter(pool, known.get(pool)!));
    const oldest = Math.min(...stale.map((pool) => known.get(pool)!.block));
    const isNear = stale.length > 0 && now.block - oldest <= MAX_FOLLOWED;
    const changes = isNear ? await session.exchange.changedPositions(oldest + 1, now.block) : [];
    for (const pool of pools) {
      const before = known.get(pool);
      const isKnown = usable(before) && (!stale.includes(pool) || isNear);
      if (isKnown && !stale.includes(pool)) found.set(pool, before!.ticks);
      else {
        const positions = isKnown ? moved(before!.positions, pool, changes) : await readAll(session, pool);
        if (positions === undefined) continue;
        const ticks = tickMapOf(positions.values());
        this.#known.set(pool, { lineage, block: now.block, positions, ticks });
        found.set(pool, ticks);
      }
    }
    return found;
  }
}

function moved(
  before: ReadonlyMap<string, Position>,
  pool: number,
  changes: readonly (readonly [id: Bytes, position: Position])[],
): ReadonlyMap<string, Position> {
  const positions = new Map(before);
  for (const [id, position] of changes) if (position.pool === pool) positions.set(keyOf(id), position);
  return positions;
}

/** Undefined if there are too many. */
async function readAll(session: ReadSession, pool: number): Promise<ReadonlyMap<string, Position> | undefined> {
  const positions = new Map<string, Position>();
  const turn = new Turn();
  for (let last: Bytes | undefined; ; ) {
    const some = await session.exchange.positionsIn(pool, last, BATCH_SIZE);
    for (const [id, position] of some) positions.set(keyOf(id), position);
    if (some.length < BATCH_SIZE) return positions;
    if (positions.size > MAX_POSITIONS) return undefined;
    last = some.at(-1)![0];
    await turn.yieldToEventLoop();
  }
}

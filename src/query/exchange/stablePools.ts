import { stableCurve } from "../../exchange/stableCurve.ts";
import { mapInTurns } from "../../std/async.ts";
import type { ReadSession } from "../../store/session.ts";
import type { ListedPool, Listing } from "./listedPools.ts";
import type { PoolBalances } from "./poolBalances.ts";
import { readDecimals } from "./tokenDecimals.ts";

const BATCH_SIZE = 500;

/**
 * Gives stable pools their curve. Tokens may say their decimals long after the pool was created, or never: of the pools that
 * did not change some are looked at after each block, in turn.
 */
export async function withCurves(
  session: ReadSession,
  listing: Listing,
  { ids, block }: Pick<PoolBalances, "ids" | "block">,
  isChanged: (pool: ListedPool) => boolean,
): Promise<Listing> {
  const waiting = listing.pools.filter(({ type, curve }) => type === "stable" && curve === undefined);
  if (waiting.length === 0) return listing;
  const unchanged = waiting.filter((pool) => !isChanged(pool));
  const first = unchanged.length === 0 ? 0 : (Math.max(0, block) * BATCH_SIZE) % unchanged.length;
  const due = [...waiting.filter(isChanged), ...[...unchanged, ...unchanged].slice(first, first + BATCH_SIZE)];
  const curves = new Map<number, ListedPool>();
  for (let from = 0; from < due.length; from += BATCH_SIZE) {
    const some = due.slice(from, from + BATCH_SIZE);
    for (const pool of await readCurves(session, some, ids)) curves.set(pool.id, pool);
  }
  if (curves.size === 0) return listing;
  const pools = await mapInTurns(listing.pools, (pool) => curves.get(pool.id) ?? pool);
  return { ...listing, pools, poolsByHex: new Map(pools.map((pool) => [pool.hex, pool])) };
}

async function readCurves(
  session: ReadSession,
  pools: readonly ListedPool[],
  ids: PoolBalances["ids"],
): Promise<ListedPool[]> {
  const decimals = await readDecimals(
    session,
    pools.flatMap(({ token0, token1 }) => [token0, token1]),
    ids,
  );
  return pools.flatMap((pool) => {
    const [decimals0, decimals1] = [decimals.get(pool.token0.number), decimals.get(pool.token1.number)];
    if (typeof decimals0 !== "number" || typeof decimals1 !== "number") return [];
    const curve = stableCurve([decimals0, decimals1], pool.generation ?? 2);
    return curve === undefined ? [] : [{ ...pool, curve }];
  });
}

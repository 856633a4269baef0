import type { Hex } from "../../chain/encoding/hex.ts";
import { mapInTurns } from "../../std/async.ts";
import type { PairFee } from "../../store/stages/exchange/pairFee.ts";
import { wholeFee } from "../../store/stages/exchange/pairFee.ts";
import { PAIR_FEE } from "./choosePools.ts";
import type { ListedPool, Listing } from "./listedPools.ts";
import type { PoolStates } from "./poolStates.ts";

/**
 * Gives V2 pairs the fee that their swaps tell. Until they do, the lowest of the other pairs of the factory is assumed, or
 * that of Uniswap, but no more than their swaps allow.
 */
export async function withPairFees(listing: Listing, { states }: PoolStates): Promise<Listing> {
  const open = listing.pools.filter(({ isFeeOfSwaps }) => isFeeOfSwaps);
  if (open.length === 0) return listing;
  const stateOf = (pool: ListedPool) => states.get(pool.id)?.pairFee;
  const lowest = new Map<Hex, number>();
  for (const pool of open) {
    const reported = stateOf(pool);
    if (!reported?.isExact) continue;
    lowest.set(pool.factory, Math.min(lowest.get(pool.factory) ?? reported.max, wholeFee(reported.max)));
  }
  const changed = new Map<number, ListedPool>();
  for (const pool of open) {
    const next = feeBy(stateOf(pool), lowest.get(pool.factory) ?? PAIR_FEE);
    if (next.fee !== pool.fee || next.isFeeAssumed !== pool.isFeeAssumed) changed.set(pool.id, { ...pool, ...next });
  }
  if (changed.size === 0) return listing;
  const pools = await mapInTurns(listing.pools, (pool) => changed.get(pool.id) ?? pool);
  return { ...listing, pools, poolsByHex: new Map(pools.map((pool) => [pool.hex, pool])) };
}

function feeBy(reported: PairFee | undefined, assumed: number): Pick<ListedPool, "fee" | "isFeeAssumed"> {
  if (reported === undefined) return { fee: assumed, isFeeAssumed: true };
  const max = wholeFee(reported.max);
  return reported.isExact ? { fee: max, isFeeAssumed: false } : { fee: Math.min(assumed, max), isFeeAssumed: true };
}

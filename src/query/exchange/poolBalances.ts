import { isSingleton } from "../../chain/exchange/exchangeFields.ts";
import { Turn } from "../../std/async.ts";
import { clampToZero } from "../../std/numbers.ts";
import type { ReadSession } from "../../store/session.ts";
import type { ListedPool, Listing } from "./listedPools.ts";
import { COIN } from "./listedPools.ts";
import { MAX_FOLLOWED } from "./poolStates.ts";

/** Holdings of pools with an address, by the ledger, or as reported by tokens that deviate from it. */
export interface PoolBalances {
  readonly block: number;
  /** Of token0 and token1, by pool id. */
  readonly held: ReadonlyMap<number, readonly [bigint, bigint]>;
  readonly ids: ReadonlyMap<string, number>;
}

export const NO_BALANCES: PoolBalances = { block: -1, held: new Map(), ids: new Map() };

const BATCH_SIZE = 500;

/** Reads only pools with transfers since, and new ones. */
export async function moveBalances(
  session: ReadSession,
  before: PoolBalances,
  block: number,
  listing: Listing,
  observed: readonly number[],
): Promise<PoolBalances> {
  const turn = new Turn();
  const ids = await moveIds(session, before.ids, listing);
  await turn.yieldToEventLoop();
  const isFar = before.block < 0 || block - before.block > MAX_FOLLOWED;
  const parties = isFar ? undefined : await session.tokens.transfers.parties(before.block + 1, block);
  const asked = new Set(observed);
  const isDue = ({ id, hex, type }: ListedPool) =>
    !isSingleton(type) &&
    (parties === undefined || !before.held.has(id) || asked.has(id) || parties.has(ids.get(hex)!));
  const due = listing.pools.filter(isDue);
  await turn.yieldToEventLoop();
  const held = new Map(isFar ? [] : before.held);
  for (let from = 0; from < due.length; from += BATCH_SIZE) {
    const pools = due.slice(from, from + BATCH_SIZE);
    for (const [id, balances] of await readBalances(session, pools, ids)) held.set(id, balances);
    await turn.yieldToEventLoop();
  }
  return { block, held, ids };
}

async function readBalances(
  session: ReadSession,
  pools: readonly ListedPool[],
  ids: ReadonlyMap<string, number>,
): Promise<[number, [bigint, bigint]][]> {
  const idOf = ({ hex }: { readonly hex: string }) => ids.get(hex) ?? -1;
  const pairs = pools.flatMap((pool) => [pool.token0, pool.token1].map((token) => [idOf(pool), idOf(token)] as const));
  const amounts = await session.tokens.balances(pairs);
  const seen = await session.exchange.observations(pools.map(({ id }) => id));
  return pools.map(({ id }, at) => {
    const { difference0 = 0n, difference1 = 0n } = seen.get(id) ?? {};
    return [id, [clampToZero(amounts[2 * at]! + difference0), clampToZero(amounts[2 * at + 1]! + difference1)]];
  });
}

/** An address may get its ledger id after its pool was created. */
async function moveIds(
  session: ReadSession,
  before: ReadonlyMap<string, number>,
  { pools, tokensByHex }: Listing,
): Promise<ReadonlyMap<string, number>> {
  const placed = pools.filter(({ type }) => !isSingleton(type));
  const missing = [...placed, ...tokensByHex.values()].filter(({ hex }) => hex !== COIN && !before.has(hex));
  if (missing.length === 0) return before;
  const ids = new Map(before);
  const turn = new Turn();
  for (let from = 0; from < missing.length; from += BATCH_SIZE) {
    const some = missing.slice(from, from + BATCH_SIZE);
    const found = await session.addresses.ids(some.map(({ address }) => address));
    for (const { address, hex } of some) {
      const id = found.get(address);
      if (id !== undefined) ids.set(hex, id);
    }
    await turn.yieldToEventLoop();
  }
  return ids;
}

import { isSingleton } from "../../chain/exchange/exchangeFields.ts";
import type { ReadSession } from "../../store/session.ts";
import type { ExchangeView } from "../exchange/exchangeView.ts";
import type { ListedPool } from "../exchange/listedPools.ts";
import { readDecimals } from "../exchange/tokenDecimals.ts";

/** A pool whose amounts can be written in whole tokens. */
export interface AdapterPool {
  readonly pool: ListedPool;
  /** Of token0 and token1. */
  readonly decimals: readonly [number, number];
}

/** Digits after the point that programs read. */
export const MAX_PLACES = 50;

/** Pools of configured or known exchanges whose tokens say their decimals. */
export async function readAdapterPools(
  session: ReadSession,
  { balances }: ExchangeView,
  pools: readonly ListedPool[],
): Promise<AdapterPool[]> {
  const named = pools.filter(({ isNamed }) => isNamed);
  const decimals = await readDecimals(
    session,
    named.flatMap(({ token0, token1 }) => [token0, token1]),
    balances.ids,
  );
  const placesOf = (token: number) => decimals.get(token) ?? Number.POSITIVE_INFINITY;
  return named.flatMap((pool) => {
    const [places0, places1] = [placesOf(pool.token0.number), placesOf(pool.token1.number)];
    return Math.max(places0, places1) > MAX_PLACES ? [] : [{ pool, decimals: [places0, places1] as const }];
  });
}

/** Whether events tell exactly what a pool holds: of others they do not tell each fee that leaves. */
export const hasExactReserves = ({ type }: ListedPool): boolean => !isSingleton(type) && type !== "algebra";

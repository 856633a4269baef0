import { unitsOf } from "../../exchange/decimal.ts";
import { SCALE } from "../../exchange/prices.ts";
import type { Collection } from "./selectItems.ts";
import type { SubgraphFactory, SubgraphMarket, SubgraphPool, SubgraphToken } from "./subgraphMarket.ts";

const COIN_UNITS = unitsOf(18);

/** Dollars in coins, both in units of 1 / SCALE; 0 while the coin has no price. */
export function inCoins({ coinPrice }: Pick<SubgraphMarket, "coinPrice">, dollars: bigint): bigint {
  return coinPrice ? (dollars * SCALE) / (coinPrice * COIN_UNITS) : 0n;
}

/** Decimal values are in units of 1 / SCALE. */
const POOL_COLUMNS = {
  id: ({ pool }: SubgraphPool) => pool.hex,
  token0: ({ pool }: SubgraphPool) => pool.token0.hex,
  token1: ({ pool }: SubgraphPool) => pool.token1.hex,
  txCount: ({ transactions }: SubgraphPool) => BigInt(transactions),
  created: ({ pool }: SubgraphPool) => BigInt(pool.since),
  feeTier: ({ pool }: SubgraphPool) => BigInt(pool.fee),
  liquidity: ({ state }: SubgraphPool) => state.liquidity,
  sqrtPrice: ({ state }: SubgraphPool) => state.sqrtPrice,
  tick: ({ state }: SubgraphPool) => BigInt(state.tick),
  locked: ({ locked }: SubgraphPool) => locked,
  traded: ({ traded }: SubgraphPool) => traded,
  fees: ({ fees }: SubgraphPool) => fees,
} as const;

export type PoolColumn = keyof typeof POOL_COLUMNS | "lockedInCoins";

export function poolCollection(market: SubgraphMarket): Collection<SubgraphPool, PoolColumn> {
  const lockedInCoins = ({ locked }: SubgraphPool) => inCoins(market, locked);
  return { items: market.pools, columns: { ...POOL_COLUMNS, lockedInCoins } };
}

const TOKEN_COLUMNS = {
  id: ({ token }: SubgraphToken) => token.hex,
  txCount: ({ transactions }: SubgraphToken) => BigInt(transactions),
  poolCount: ({ pools }: SubgraphToken) => BigInt(pools),
  locked: ({ held, price }: SubgraphToken) => held * (price ?? 0n),
  traded: ({ traded }: SubgraphToken) => traded,
  fees: ({ fees }: SubgraphToken) => fees,
} as const;

export type TokenColumn = keyof typeof TOKEN_COLUMNS;

export function tokenCollection({ tokens }: SubgraphMarket): Collection<SubgraphToken, TokenColumn> {
  return { items: tokens, columns: TOKEN_COLUMNS };
}

const FACTORY_COLUMNS = { id: ({ hex }: SubgraphFactory) => hex } as const;

export function factoryCollection({ factories }: SubgraphMarket): Collection<SubgraphFactory, "id"> {
  return { items: factories, columns: FACTORY_COLUMNS };
}

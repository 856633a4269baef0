import { supplyOf } from "../tokens/token.ts";
import type { SubgraphPool } from "./subgraphMarket.ts";
import type { SubgraphState } from "./subgraphState.ts";

/** Supplies of the shares of pairs, in their order. */
export async function readSupplies(
  { session, view: { balances } }: SubgraphState,
  pools: readonly SubgraphPool[],
): Promise<bigint[]> {
  const ids = pools.map(({ pool }) => balances.ids.get(pool.hex));
  const known = await session.tokens.byId(ids.filter((id) => id !== undefined));
  return ids.map((id) => {
    const token = id === undefined ? undefined : known.get(id);
    return (token && supplyOf(token)) ?? 0n;
  });
}

import type { PoolSnapshot } from "./pool.ts";
import type { Anchors, PriceRules, TokenPrice } from "./prices.ts";
import { findPrices, findPricesInTurns } from "./prices.ts";
import type { Side } from "./value.ts";

export interface PriceTable {
  readonly prices: ReadonlyMap<number, TokenPrice>;
  readonly anchors: ReadonlySet<number>;
}

export const NO_PRICES: PriceTable = { prices: new Map(), anchors: new Set() };

export function priceTable(pools: readonly PoolSnapshot[], anchors: Anchors, rules: PriceRules): PriceTable {
  return tableOf(findPrices(pools, anchors, rules), anchors);
}

/** Yields to the event loop if there are many pools. */
export async function priceTableInTurns(
  pools: readonly PoolSnapshot[],
  anchors: Anchors,
  rules: PriceRules,
): Promise<PriceTable> {
  return tableOf(await findPricesInTurns(pools, anchors, rules), anchors);
}

/** The native coin is an anchor once pools price it. */
function tableOf(prices: ReadonlyMap<number, TokenPrice>, { fixed, native }: Anchors): PriceTable {
  const anchors = new Set(fixed.keys());
  if (native !== undefined && prices.has(native)) anchors.add(native);
  return { prices, anchors };
}

export function sidesOf(
  { token0, token1 }: Pick<PoolSnapshot, "token0" | "token1">,
  { prices, anchors }: PriceTable,
): readonly [Side, Side] {
  const side = (token: number) => ({ price: prices.get(token), isAnchor: anchors.has(token) });
  return [side(token0), side(token1)];
}

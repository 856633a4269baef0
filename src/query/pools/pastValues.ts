import type { Side } from "../../exchange/value.ts";
import { defined } from "../../std/values.ts";
import type { ReadSession } from "../../store/session.ts";
import type { Amounts } from "../../store/stages/exchange/position.ts";
import { readAnchors } from "../exchange/anchors.ts";
import type { ExchangeSettings } from "../exchange/exchangeSettings.ts";
import type { ExchangeView } from "../exchange/exchangeView.ts";
import type { ListedPool } from "../exchange/listedPools.ts";
import { pricingPools, readPastPools } from "../exchange/pastPools.ts";
import { priceInDollars, sidesIn } from "../exchange/valuedPools.ts";

type Sides = readonly [Side, Side];

/** Prices of the tokens of a pool after blocks, by the pools that price them today. */
export async function readPastSides(
  session: ReadSession,
  view: ExchangeView,
  settings: ExchangeSettings,
  pool: ListedPool,
  blocks: ReadonlySet<number>,
): Promise<ReadonlyMap<number, Sides>> {
  const anchors = await readAnchors(session, view, settings);
  const sources = pricingPools(view, [pool.token0.pricedAs, pool.token1.pricedAs], anchors);
  const read = async (block: number): Promise<Sides> => {
    if (block === view.range?.tip.number) return sidesIn(view.valued.dollars, pool);
    const { snapshots } = await readPastPools(session, view.range, sources, block);
    return sidesIn(await priceInDollars(snapshots, anchors, settings), pool);
  };
  const known = [...blocks];
  const sides = await Promise.all(known.map(read));
  return new Map(known.map((block, at) => [block, defined(sides[at])]));
}

/** In units of 1 / SCALE dollars, of amounts of either sign; undefined if there are tokens without a price. */
export function knownWorth(amounts: Amounts, sides: Sides): bigint | undefined {
  let sum = 0n;
  for (const [at, amount] of amounts.entries()) {
    const price = sides[at]?.price?.value;
    if (amount === 0n) continue;
    if (price === undefined) return undefined;
    sum += amount * price;
  }
  return sum;
}

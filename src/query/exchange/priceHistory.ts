import type { Hex } from "../../chain/encoding/hex.ts";
import { ChainError } from "../../chain/error.ts";
import type { Range } from "../timeline.ts";
import { readTimeline } from "../timeline.ts";
import { readAnchors } from "./anchors.ts";
import type { Exchange } from "./exchange.ts";
import { pricingPools, readPastPools } from "./pastPools.ts";
import { priceInDollars } from "./valuedPools.ts";

interface PricePoint {
  readonly start: number;
  /** Of a smallest unit at the end of the period, in units of 1 / SCALE dollars; undefined without a price. */
  readonly price: bigint | undefined;
}

interface PriceHistory {
  readonly step: number;
  readonly points: readonly PricePoint[];
}

/** By the pools that price the token today; undefined without a price. */
export async function listTokenPrices(exchange: Exchange, token: Hex, range: Range): Promise<PriceHistory | undefined> {
  if (exchange.settings.stables.length === 0) return undefined;
  try {
    return await exchange.read(async (session, view) => {
      const number = view.listing.tokensByHex.get(token)?.pricedAs;
      const today = number === undefined ? undefined : view.valued.dollars.prices.get(number)?.value;
      if (number === undefined || today === undefined || view.range === undefined) return undefined;
      const { tip } = view.range;
      const [{ step, starts, blocks }, anchors] = await Promise.all([
        readTimeline(session, view.range, range),
        readAnchors(session, view, exchange.settings),
      ]);
      const pools = pricingPools(view, [number], anchors);
      const priceAt = async (block: number) => {
        if (block === tip.number) return today;
        const { snapshots } = await readPastPools(session, view.range, pools, block);
        return (await priceInDollars(snapshots, anchors, exchange.settings)).prices.get(number)?.value;
      };
      const prices = await Promise.all(starts.map((_, at) => priceAt(blocks[at + 1]! - 1)));
      return { step, points: starts.map((start, at) => ({ start, price: prices[at] })) };
    });
  } catch (error) {
    if (error instanceof ChainError && error.code === "stage_behind") return undefined;
    throw error;
  }
}

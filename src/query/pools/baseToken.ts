import type { ExchangeSettings } from "../exchange/exchangeSettings.ts";
import type { ListedPool, ListedToken } from "../exchange/listedPools.ts";
import { COIN } from "../exchange/listedPools.ts";

/** Whether token0 is the quote token. */
export function isFirstQuote(settings: ExchangeSettings, { token0, token1 }: ListedPool): boolean {
  return rankOf(settings, token0) > rankOf(settings, token1);
}

/** Quote preference: stable, then native coin, then any. */
function rankOf({ stables, wrappedCoin }: ExchangeSettings, { hex }: ListedToken): number {
  if (stables.includes(hex)) return 2;
  return hex === wrappedCoin || hex === COIN ? 1 : 0;
}

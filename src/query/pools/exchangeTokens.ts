import type { Hex } from "../../chain/encoding/hex.ts";
import type { TokenPrice } from "../../exchange/prices.ts";
import { defined } from "../../std/values.ts";
import type { QueryContext } from "../context.ts";
import type { ExchangeView } from "../exchange/exchangeView.ts";
import type { ListedPool } from "../exchange/listedPools.ts";
import type { ExchangeToken } from "../exchange/tokenCatalogue.ts";
import type { ExchangeFilter, PoolFilter } from "../exchange/valuedPools.ts";
import { isOfFilter } from "../exchange/valuedPools.ts";
import type { PoolToken } from "./poolRecords.ts";
import { readPoolTokens } from "./poolRecords.ts";

/** From the newest; undefined requests all. */
export interface ListPage {
  readonly page: number;
  readonly pageSize: number;
}

function slice<T>(list: readonly T[], page: ListPage | undefined): readonly T[] {
  return page === undefined ? list : list.slice((page.page - 1) * page.pageSize, page.page * page.pageSize);
}

export function listPairs(
  { exchange }: QueryContext,
  { filter, exchanges }: { readonly filter: PoolFilter; readonly exchanges: ExchangeFilter },
  page: ListPage | undefined,
): Promise<readonly ListedPool[]> {
  return exchange.read(async (_, { listing }) => {
    const isWanted = (pool: ListedPool) => isOfFilter(filter, pool) && (exchanges === "all" || pool.isNamed);
    return slice(listing.pools.filter(isWanted).reverse(), page);
  });
}

/** Newest first. Without a page, the list's identity is stable while unchanged. */
export function listExchangeTokens(
  { exchange }: QueryContext,
  exchanges: ExchangeFilter,
  page: ListPage | undefined,
): Promise<readonly ExchangeToken[]> {
  return exchange.read(async (session, view) => slice((await exchange.tokens(session, view))[exchanges], page));
}

export interface PricedToken {
  readonly token: PoolToken;
  readonly price: TokenPrice | undefined;
  readonly route: readonly { readonly pool: ListedPool; readonly token: PoolToken; readonly price: TokenPrice }[];
  readonly block: number;
}

/** Undefined if no pool has the token. */
export function findTokenPrice({ exchange }: QueryContext, address: Hex): Promise<PricedToken | undefined> {
  return exchange.read(async (session, view) => {
    const listed = view.listing.tokensByHex.get(address);
    if (listed === undefined || view.range === undefined) return undefined;
    const { prices } = view.valued.dollars;
    const steps = stepsOf(view, listed.pricedAs);
    const passed = steps.map(({ number }) => defined(view.listing.tokensByNumber.get(number)));
    const tokens = await readPoolTokens(session, view, [listed, ...passed]);
    const route = steps.map(({ pool, number }) => ({ pool, token: tokens.get(number)!, price: prices.get(number)! }));
    return {
      token: tokens.get(listed.number)!,
      price: prices.get(listed.pricedAs),
      route,
      block: view.range.tip.number,
    };
  });
}

/** Pools on the route, with the token on the far side of each. */
export function stepsOf({ listing, valued }: ExchangeView, number: number): { pool: ListedPool; number: number }[] {
  const { prices } = valued.dollars;
  const steps: { pool: ListedPool; number: number }[] = [];
  for (let source = prices.get(number)?.source; source !== undefined; source = prices.get(source.token)?.source) {
    const { pool: id, token } = source;
    steps.push({ pool: defined(listing.pools.find((pool) => pool.id === id)), number: token });
  }
  return steps;
}

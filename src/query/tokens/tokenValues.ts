import { fromHex, toHex } from "../../chain/encoding/hex.ts";
import type { TokenKind } from "../../chain/token/tokenTransfer.ts";
import { MAX_PRICED_DECIMALS, unitsOf } from "../../exchange/decimal.ts";
import type { ReadSession } from "../../store/session.ts";
import type { KnownToken } from "../../store/stages/tokens/read/tokenReads.ts";
import { typeOf } from "../../store/stages/tokens/tables/tokenState.ts";
import type { UnitPrices } from "../exchange/rates.ts";
import type { ItemOrder, RankedList } from "../frontedList.ts";
import { supplyOf } from "./token.ts";

export type TokenSort = "holders_count" | "fiat_value" | "circulating_market_cap";

/** Standards and sort order. */
interface ValueOrder {
  readonly kinds: readonly TokenKind[];
  readonly sort: TokenSort;
  readonly order: "desc" | "asc";
}

/** A token in the ranking by holders. */
interface TokenItem {
  readonly id: number;
  /** Number of holders, or COIN_KEY. */
  readonly key: bigint;
}

/** Cursor key of a wrapped coin without transfers; above any number of holders. */
export const COIN_KEY = 2n ** 53n;

/** Holders descending, then first appearance; wrapped coins last. */
export const TOKEN_ORDER: ItemOrder<TokenItem> = {
  key: ({ id }) => String(id),
  isBefore: (one, other) => placeOf(one) > placeOf(other) || (placeOf(one) === placeOf(other) && one.id < other.id),
};

const placeOf = ({ key }: TokenItem): bigint => (key === COIN_KEY ? -1n : key);

/** Ids of priced tokens by value. */
export async function valueTokens(
  { addresses, tokens }: ReadSession,
  { kinds, sort, order }: ValueOrder,
  prices: UnitPrices,
): Promise<number[]> {
  const ids = await addresses.ids([...prices.keys()].map(fromHex));
  const known = await tokens.byId([...ids.values()]);
  const worth = (token: KnownToken): bigint => {
    const price = prices.get(toHex(token.address)) ?? 0n;
    if (sort === "circulating_market_cap") return price * (supplyOf(token) ?? 0n);
    const decimals = token.seen?.decimals ?? 0;
    return decimals > MAX_PRICED_DECIMALS ? 0n : price * unitsOf(decimals);
  };
  const sign = order === "desc" ? 1 : -1;
  return [...known.values()]
    .filter(({ state }) => kinds.includes(typeOf(state)))
    .map((token) => ({ id: token.id, value: worth(token) }))
    .filter(({ value }) => value > 0n)
    .sort((a, b) => (a.value > b.value ? -sign : a.value < b.value ? sign : a.id - b.id))
    .map(({ id }) => id);
}

/** By holders. */
export async function rankedTokens(
  tokens: ReadSession["tokens"],
  kinds: readonly TokenKind[],
): Promise<{
  list: RankedList<TokenItem>;
  total: number;
  itemOf(ids: readonly number[]): Promise<TokenItem[]>;
}> {
  const [ids, count] = await Promise.all([kinds.includes("ERC-20") ? tokens.coins() : [], tokens.ranks.count(kinds)]);
  const coins = ids.map((id): TokenItem => ({ id, key: COIN_KEY }));
  const asItem = ({ token, holders }: { token: number; holders: number }) => ({ id: token, key: BigInt(holders) });
  const list: RankedList<TokenItem> = {
    fromRank: async (rank, limit) => {
      const found = (await tokens.ranks.fromRank(kinds, rank, limit, count)).map(asItem);
      const skipped = Math.max(rank - count, 0);
      return [...found, ...coins.slice(skipped, skipped + limit - found.length)];
    },
    after: async ({ id, key }, limit) => {
      if (key === COIN_KEY) return coins.filter((coin) => coin.id > id).slice(0, limit);
      const found = (await tokens.ranks.after(kinds, { token: id, holders: Number(key) }, limit)).map(asItem);
      return [...found, ...coins.slice(0, limit - found.length)];
    },
  };
  const itemOf = async (wanted: readonly number[]) => {
    const known = await tokens.byId(wanted);
    const isCoin = new Set(ids);
    return wanted.map((id) => ({ id, key: isCoin.has(id) ? COIN_KEY : BigInt(known.get(id)?.state.holders ?? 0) }));
  };
  return { list, total: count + coins.length, itemOf };
}

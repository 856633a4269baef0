import type { Bytes } from "../../chain/encoding/bytes.ts";
import { fromHex, toHex } from "../../chain/encoding/hex.ts";
import type { TokenKind } from "../../chain/token/tokenTransfer.ts";
import { mustHave } from "../../store/rows/encoding.ts";
import type { AddressId } from "../../store/rows/ids.ts";
import type { ReadSession } from "../../store/session.ts";
import type { Asset, HeldAsset } from "../../store/stages/tokens/read/assetReads.ts";
import { BALANCES, COINS } from "../../store/stages/tokens/read/assetReads.ts";
import type { KnownToken } from "../../store/stages/tokens/read/tokenReads.ts";
import { ASSET_LISTS } from "../../store/stages/tokens/tables/assetCounts.ts";
import { KINDS } from "../../store/stages/tokens/tables/transferBody.ts";
import type { QueryContext } from "../context.ts";
import type { UnitPrices } from "../exchange/rates.ts";
import { readUnitPrices } from "../exchange/rates.ts";
import type { ItemOrder } from "../frontedList.ts";
import { frontedList } from "../frontedList.ts";
import type { IndexedRange } from "../indexedRange.ts";
import type { PageInfo, PageRequest, RankCursor } from "../pages.ts";
import { rankedPageInfo } from "../pages.ts";
import { readTokenRange } from "../stageRanges.ts";
import { tokensOfKind } from "./heldAssets.ts";
import type { ItemFacts, TokenItem } from "./items.ts";
import { composeItems, readItemFacts } from "./items.ts";
import { readToken } from "./token.ts";

interface LedgerBalance {
  readonly token: KnownToken;
  readonly holder: Bytes;
  readonly amount: bigint;
}

export interface Balance {
  readonly amount: bigint;
  readonly source: "ledger" | "balanceOf";
}

/** Ledger balances, replaced by `balanceOf` for tokens known to differ. */
export async function readBalances<T extends LedgerBalance>(
  { node }: QueryContext,
  range: IndexedRange | undefined,
  entries: readonly T[],
): Promise<(Omit<T, "amount"> & Balance)[]> {
  const doubtful = entries.filter(({ token }) => token.labels.includes("ledger_differs"));
  const asked = new Map<T, bigint | undefined>();
  if (doubtful.length > 0 && node !== undefined && range !== undefined) {
    const questions = doubtful.map(({ token, holder }) => ({ token: token.address, holder }));
    const amounts = await node.balances.read(questions, range.tip);
    for (const [at, entry] of doubtful.entries()) asked.set(entry, amounts[at]);
  }
  return entries.map((entry) => {
    const own = asked.get(entry);
    return own === undefined ? { ...entry, source: "ledger" } : { ...entry, amount: own, source: "balanceOf" };
  });
}

export interface TokenBalance extends Balance {
  readonly token: KnownToken;
  /** Undefined unless ERC-1155. */
  readonly tokenId: Bytes | undefined;
  readonly item: TokenItem | undefined;
}

interface TokenBalancePage {
  readonly balances: readonly TokenBalance[];
  readonly info: PageInfo;
}

/** Priced tokens by value, then other tokens, then items, by first appearance. */
export async function listTokenBalances(
  context: QueryContext,
  address: Bytes,
  request: PageRequest<RankCursor>,
  kinds: readonly TokenKind[] = KINDS,
  prices?: UnitPrices,
): Promise<TokenBalancePage> {
  const unitPrices = prices ?? (await readUnitPrices(context));
  const { range, total, last, held, tokens, items } = await context.store.read(async (session) => {
    const [range, page] = await Promise.all([
      readTokenRange(session),
      readPage(session, address, { kinds, prices: unitPrices }, request),
    ]);
    const tokens = await session.tokens.byId(page.held.map(({ token }) => token));
    return { range, ...page, tokens, items: await readItems(context, session, page.held, tokens, page.facts) };
  });
  const entries = held.map(({ id, token, tokenId, amount }) => ({
    token: mustHave(tokens.get(token), `token ${token}`),
    tokenId,
    item: tokenId && items.get(id),
    holder: address,
    amount,
  }));
  return {
    balances: await readBalances(context, range, entries),
    info: rankedPageInfo(request, range, total, last),
  };
}

async function readItems(
  { metadata }: QueryContext,
  session: ReadSession,
  held: readonly HeldAsset[],
  tokens: ReadonlyMap<number, KnownToken>,
  facts: ItemFacts,
): Promise<ReadonlyMap<number, TokenItem>> {
  const own = held.flatMap(({ id, token, tokenId }) => (tokenId === undefined ? [] : [{ id, token, tokenId }]));
  const items = await composeItems(metadata, session, own, { tokens, ...facts });
  return new Map(items.map((item, at) => [mustHave(own[at], "an item").id, item]));
}

/** For a token with items, their total number. */
export async function readTokenBalance(context: QueryContext, address: Bytes, token: Bytes): Promise<bigint> {
  const found = await context.store.read(async (session) => {
    const [range, known, id] = await Promise.all([
      readTokenRange(session),
      readToken(session, token),
      session.addresses.id(address),
    ]);
    if (known === undefined || id === undefined) return undefined;
    return { range, known, amount: await session.tokens.balance(id, known.id) };
  });
  if (found === undefined) return 0n;
  const entry = { token: found.known, holder: address, amount: found.amount };
  const [balance] = await readBalances(context, found.range, [entry]);
  return balance === undefined || balance.amount < 0n ? 0n : balance.amount;
}

const NO_FACTS: ItemFacts = { last: new Map(), single: new Map() };

interface AssetPage {
  readonly total: number;
  readonly held: readonly HeldAsset[];
  readonly facts: ItemFacts;
  readonly last: RankCursor["key"] | undefined;
}

/** Reads one item more, to tell whether another page follows. */
async function readPage(
  session: ReadSession,
  address: Bytes,
  { kinds, prices }: { readonly kinds: readonly TokenKind[]; readonly prices: UnitPrices },
  { page, pageSize, cursor }: PageRequest<RankCursor>,
): Promise<AssetPage> {
  const id = await session.addresses.id(address);
  if (id === undefined || kinds.length === 0) return { total: 0, held: [], facts: NO_FACTS, last: undefined };
  const [assets, valuable] = await Promise.all([
    assetsOfKinds(session, id, kinds),
    kinds.includes("ERC-20") ? valuableAssets(session, id, prices) : [],
  ]);
  const list = { ...frontedList(assets, valuable, ASSET_ORDER), count: () => assets.count() };
  const found =
    cursor === undefined
      ? await list.fromRank((page - 1) * pageSize, pageSize + 1)
      : await list.after(assetAt(cursor), pageSize + 1);
  const shown = found.slice(0, pageSize);
  const isItem = ({ list }: Asset) => list === ASSET_LISTS.items;
  const [total, held, facts] = await Promise.all([
    list.count(),
    session.tokens.assets.amounts(id, shown),
    readItemFacts(session, shown.filter(isItem)),
    session.tokens.byId(shown.filter((asset) => !isItem(asset)).map((asset) => asset.id)),
  ]);
  const end = found.length > pageSize ? held.at(-1) : undefined;
  return { total, held, facts, last: end && [BigInt(end.list), end.id] };
}

interface AssetRanking {
  count(): Promise<number>;
  fromRank(rank: number, limit: number): Promise<readonly Asset[]>;
  after(asset: Asset, limit: number): Promise<readonly Asset[]>;
}

/** ERC-20 and ERC-721 share a list, which is scanned if only one is wanted. */
async function assetsOfKinds(session: ReadSession, id: AddressId, kinds: readonly TokenKind[]): Promise<AssetRanking> {
  const { assets } = session.tokens;
  const has = (kind: TokenKind) => kinds.includes(kind);
  const lists = BALANCES.filter((list) => {
    if (list === ASSET_LISTS.items) return has("ERC-1155");
    return list === COINS ? has("ERC-20") : has("ERC-20") && has("ERC-721");
  });
  const rest: AssetRanking = {
    count: () => assets.count(id, lists),
    fromRank: (rank, limit) => assets.fromRank(id, rank, limit, lists),
    after: (asset, limit) => assets.after(id, asset, limit, lists),
  };
  if (has("ERC-20") === has("ERC-721")) return rest;
  const tokens = await tokensOfKind(session, id, has("ERC-20") ? "ERC-20" : "ERC-721");
  const first = tokens.map((token): Asset => ({ list: ASSET_LISTS.tokens, id: token }));
  const fill = async (own: readonly Asset[], limit: number) => [
    ...own.slice(0, limit),
    ...(own.length < limit ? await rest.fromRank(0, limit - own.length) : []),
  ];
  return {
    count: async () => first.length + (await rest.count()),
    fromRank: (rank, limit) =>
      rank < first.length ? fill(first.slice(rank), limit) : rest.fromRank(rank - first.length, limit),
    after: (asset, limit) =>
      asset.list === ASSET_LISTS.tokens
        ? fill(
            first.filter((one) => one.id > asset.id),
            limit,
          )
        : rest.after(asset, limit),
  };
}

const ASSET_ORDER: ItemOrder<Asset> = {
  key: ({ list, id }) => `${list} ${id}`,
  isBefore: (one, other) => one.list < other.list || (one.list === other.list && one.id < other.id),
};

async function valuableAssets(session: ReadSession, id: AddressId, prices: UnitPrices): Promise<Asset[]> {
  if (prices.size === 0) return [];
  const ids = await session.addresses.ids([...prices.keys()].map(fromHex));
  const priced = [...ids].map(([address, token]) => ({ token, price: prices.get(toHex(address)) ?? 0n }));
  const kinds = await session.tokens.kinds(priced.map(({ token }) => token));
  const fitting = priced.filter(({ token }) => kinds.get(token) === "ERC-20");
  const amounts = await session.tokens.balances(fitting.map(({ token }) => [id, token] as const));
  const coins = new Set(await session.tokens.coins());
  return fitting
    .map(({ token, price }, at) => ({ token, value: price * (amounts[at] ?? 0n) }))
    .filter(({ value }) => value > 0n)
    .sort((a, b) => (a.value > b.value ? -1 : a.value < b.value ? 1 : a.token - b.token))
    .map(({ token }) => ({ list: coins.has(token) ? COINS : ASSET_LISTS.tokens, id: token }));
}

/** Past the last list there is nothing. */
function assetAt({ key: [list, id] }: RankCursor): Asset {
  const known = BALANCES.find((one) => BigInt(one) === list);
  return known === undefined ? { list: COINS, id: Number.MAX_SAFE_INTEGER } : { list: known, id };
}

import type { Bytes } from "../../chain/encoding/bytes.ts";
import { Turn } from "../../std/async.ts";
import type { AddressInfos } from "../../store/read/addressInfos.ts";
import { mustHave } from "../../store/rows/encoding.ts";
import type { AddressId, ItemId } from "../../store/rows/ids.ts";
import type { ReadSession } from "../../store/session.ts";
import type { Asset } from "../../store/stages/tokens/read/assetReads.ts";
import { OWN_ITEMS } from "../../store/stages/tokens/read/assetReads.ts";
import type { KnownToken } from "../../store/stages/tokens/read/tokenReads.ts";
import { ASSET_LISTS } from "../../store/stages/tokens/tables/assetCounts.ts";
import type { QueryContext } from "../context.ts";
import type { CachedMetadata } from "../itemMetadata.ts";
import type { PageInfo, PageRequest, RankCursor } from "../pages.ts";
import { firstAfterCursor, rankedPageInfo } from "../pages.ts";
import { readTokenRange } from "../stageRanges.ts";
import { itemsByToken, MAX_SCANNED_ASSETS } from "./heldAssets.ts";
import type { TokenItem } from "./items.ts";
import { composeItems, readItemFacts } from "./items.ts";
import { firstItemsOf, tokensWithItems } from "./manyItems.ts";

export type ItemKind = "ERC-721" | "ERC-1155";

export const ITEM_KINDS: readonly ItemKind[] = ["ERC-721", "ERC-1155"];

export interface OwnItem extends TokenItem {
  readonly kind: ItemKind;
  readonly amount: bigint;
}

interface OwnItemPage {
  readonly items: readonly OwnItem[];
  readonly addresses: AddressInfos;
  readonly info: PageInfo;
}

const LISTS = { "ERC-721": ASSET_LISTS.uniques, "ERC-1155": ASSET_LISTS.items } as const;

/** In index order. */
const listsOf = (kinds: readonly ItemKind[]) => kinds.map((kind) => LISTS[kind]).sort((a, b) => a - b);

const kindOfList = (list: Asset["list"]): ItemKind => (list === ASSET_LISTS.items ? "ERC-1155" : "ERC-721");

/** ERC-1155 first, then ERC-721, by first appearance. */
export function listOwnItems(
  { store, metadata }: QueryContext,
  address: Bytes,
  kinds: readonly ItemKind[],
  request: PageRequest<RankCursor>,
): Promise<OwnItemPage> {
  return store.read(async (session) => {
    const [range, id] = await Promise.all([readTokenRange(session), session.addresses.id(address)]);
    if (id === undefined || kinds.length === 0) {
      return {
        items: [],
        addresses: await session.addresses.infos([]),
        info: rankedPageInfo(request, range, 0, undefined),
      };
    }
    const { assets } = session.tokens;
    const [lists, { page, pageSize, cursor }] = [listsOf(kinds), request];
    const found =
      cursor === undefined
        ? await assets.fromRank(id, (page - 1) * pageSize, pageSize + 1, lists)
        : await assets.after(
            id,
            { list: Number(cursor.key[0]) as Asset["list"], id: cursor.key[1] },
            pageSize + 1,
            lists,
          );
    const shown = found.slice(0, pageSize);
    const end = found.length > pageSize ? shown.at(-1) : undefined;
    const last: RankCursor["key"] | undefined = end && [BigInt(end.list), end.id];
    const [total, items] = await Promise.all([assets.count(id, lists), readOwn(metadata, session, id, shown)]);
    return { items, addresses: await ownersOf(session, items), info: rankedPageInfo(request, range, total, last) };
  });
}

async function readOwn(
  metadata: CachedMetadata,
  session: ReadSession,
  address: number,
  assets: readonly Asset[],
): Promise<OwnItem[]> {
  const { tokens } = session;
  const ids = assets.map(({ id }) => id);
  const [held, stored, facts] = await Promise.all([
    tokens.assets.amounts(address, assets),
    tokens.items.at(ids),
    readItemFacts(session, assets),
  ]);
  const known = await tokens.byId(stored.map(({ token }) => token));
  const items = await composeItems(metadata, session, stored, { tokens: known, ...facts });
  return items.map((item, at) => {
    const { list, amount } = mustHave(held[at], "an asset");
    return { ...item, kind: kindOfList(list), amount };
  });
}

function ownersOf({ addresses }: ReadSession, items: readonly TokenItem[]): Promise<AddressInfos> {
  return addresses.infos(items.flatMap(({ owner }) => owner ?? []));
}

/** Items of one token held by an address. */
export interface Collection {
  readonly token: KnownToken;
  /** Distinct ids; null if there are too many to count. */
  readonly count: number | null;
  readonly items: readonly OwnItem[];
}

interface CollectionPage {
  readonly collections: readonly Collection[];
  readonly addresses: AddressInfos;
  readonly info: PageInfo;
}

export const MAX_SHOWN_ITEMS = 15;

/** Each collection includes items. */
export const MAX_COLLECTIONS = 50;

/** By first appearance. */
export function listCollections(
  { store, metadata }: QueryContext,
  address: Bytes,
  kinds: readonly ItemKind[],
  asked: PageRequest<RankCursor>,
  maxScanned = MAX_SCANNED_ASSETS,
): Promise<CollectionPage> {
  const request = { ...asked, pageSize: Math.min(asked.pageSize, MAX_COLLECTIONS) };
  return store.read(async (session) => {
    const [range, id] = await Promise.all([readTokenRange(session), session.addresses.id(address)]);
    const areMany = id !== undefined && (await session.tokens.assets.count(id, OWN_ITEMS)) > maxScanned;
    const held = id === undefined ? [] : await (areMany ? heldOfMany(session, id) : heldOfAll(session, id));
    const fitting = held
      .filter(({ token }) => kinds.includes(token.state.hasItems ? "ERC-1155" : "ERC-721"))
      .map((each) => ({ ...each, key: [0n, each.token.id] as const }));
    const from = firstAfterCursor(fitting, request);
    const shown = fitting.slice(from, from + request.pageSize);
    const last = from + request.pageSize < fitting.length ? shown.at(-1)?.key : undefined;
    const found = await readItemsOf(shown);
    const assets = shown.flatMap(({ token }, at): Asset[] => {
      const list = token.state.hasItems ? ASSET_LISTS.items : ASSET_LISTS.uniques;
      return (found[at]?.items ?? []).slice(0, MAX_SHOWN_ITEMS).map((item) => ({ list, id: item }));
    });
    const items = id === undefined ? [] : await readOwn(metadata, session, id, assets);
    const collections = shown.map(({ token }, at) => ({
      token,
      count: found[at]?.count ?? null,
      items: items.filter((item) => item.token.id === token.id),
    }));
    const info = rankedPageInfo(request, range, fitting.length, last);
    return { collections, addresses: await ownersOf(session, items), info };
  });
}

interface HeldCollection {
  readonly token: KnownToken;
  readonly read: () => Promise<{ readonly items: readonly ItemId[]; readonly count: number | null }>;
}

/** Scans every item. */
async function heldOfAll(session: ReadSession, id: AddressId): Promise<HeldCollection[]> {
  const byToken = await itemsByToken(session, id);
  const known = await session.tokens.byId([...byToken.keys()]);
  return [...byToken].map(([token, items]) => ({
    token: mustHave(known.get(token), `token ${token}`),
    read: async () => ({ items, count: items.length }),
  }));
}

/** Scans tokens only: anyone can send an address more items than can be scanned. */
async function heldOfMany(session: ReadSession, id: AddressId): Promise<HeldCollection[]> {
  const held = await tokensWithItems(session, id);
  return held.map((each) => ({ token: each.token, read: () => firstItemsOf(session, id, each) }));
}

async function readItemsOf(shown: readonly HeldCollection[]) {
  const turn = new Turn();
  const found = [];
  for (const { read } of shown) {
    found.push(await read());
    await turn.yieldToEventLoop();
  }
  return found;
}

import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { AddressInfos } from "../../store/read/addressInfos.ts";
import { mustHave } from "../../store/rows/encoding.ts";
import type { ItemId } from "../../store/rows/ids.ts";
import type { ReadSession } from "../../store/session.ts";
import type { Item, LastTransfer } from "../../store/stages/tokens/read/itemReads.ts";
import type { KnownToken } from "../../store/stages/tokens/read/tokenReads.ts";
import type { QueryContext } from "../context.ts";
import type { IndexedRange } from "../indexedRange.ts";
import type { CachedMetadata, ItemMetadata } from "../itemMetadata.ts";
import type { PageInfo, PageRequest, RankCursor } from "../pages.ts";
import { firstAfterCursor, rankedPageInfo } from "../pages.ts";
import { readTokenRange } from "../stageRanges.ts";
import { itemsByToken } from "./heldAssets.ts";
import { readToken } from "./token.ts";

export interface TokenItem {
  readonly token: KnownToken;
  readonly tokenId: Bytes;
  /** Last recipient of an ERC-721 transfer, unless burnt. */
  readonly owner: Bytes | undefined;
  /** ERC-721. */
  readonly isUnique: boolean;
  readonly metadata: ItemMetadata | undefined;
}

interface ItemPage {
  readonly items: readonly TokenItem[];
  readonly addresses: AddressInfos;
  readonly range: IndexedRange | undefined;
  readonly info: PageInfo;
}

export interface FoundItem extends TokenItem {
  readonly addresses: AddressInfos;
  readonly range: IndexedRange | undefined;
}

/** Undefined if no transfer named the id. */
export function findItem(
  { store, metadata }: QueryContext,
  address: Bytes,
  tokenId: Bytes,
): Promise<FoundItem | undefined> {
  return store.read(async (session) => {
    const [range, item] = await Promise.all([readTokenRange(session), readItem(session, address, tokenId)]);
    if (item === undefined) return undefined;
    const [described] = await describeItems(metadata, session, [item]);
    const { owner } = mustHave(described, "an item");
    const addresses = await session.addresses.infos(owner === undefined ? [] : [owner]);
    return { ...mustHave(described, "an item"), addresses, range };
  });
}

export async function readItem(session: ReadSession, address: Bytes, tokenId: Bytes): Promise<Item | undefined> {
  const id = await session.addresses.id(address);
  return id === undefined ? undefined : session.tokens.items.find(id, tokenId);
}

/** Most recently transferred first; optionally of a holder. Undefined if it is no token. */
export function listItems(
  { store, metadata }: QueryContext,
  address: Bytes,
  holder: Bytes | undefined,
  request: PageRequest<RankCursor>,
): Promise<ItemPage | undefined> {
  return store.read(async (session) => {
    const [range, token] = await Promise.all([readTokenRange(session), readToken(session, address)]);
    if (token === undefined) return undefined;
    const { ids, total } = await (holder === undefined
      ? pageOfToken(session, token, request)
      : pageOfHolder(session, token, holder, request));
    const shown = ids.slice(0, request.pageSize);
    const last = ids.length > request.pageSize ? shown.at(-1) : undefined;
    const items = await describeItems(metadata, session, await session.tokens.items.at(shown));
    const owners = items.flatMap(({ owner }) => owner ?? []);
    const info = rankedPageInfo(request, range, total, last === undefined ? undefined : keyOf(last));
    return { items, addresses: await session.addresses.infos(owners), range, info };
  });
}

/** One id more than shown, to tell whether another page follows. */
interface IdPage {
  readonly ids: readonly ItemId[];
  readonly total: number;
}

/** Ids descend while keys ascend. */
const keyOf = (item: ItemId): RankCursor["key"] => [0n, Number.MAX_SAFE_INTEGER - item];

async function pageOfToken(
  { tokens }: ReadSession,
  { id }: KnownToken,
  { page, pageSize, cursor }: PageRequest<RankCursor>,
): Promise<IdPage> {
  const list = tokens.items.ofToken(id);
  const total = await list.count();
  const [end = 0] =
    cursor === undefined
      ? [total - (page - 1) * pageSize]
      : await list.ordinalsOf([Number.MAX_SAFE_INTEGER - cursor.key[1]]);
  const ids = end <= 0 ? [] : await list.slice(Math.max(end - pageSize - 1, 0), end);
  return { ids: ids.reverse(), total };
}

async function pageOfHolder(
  session: ReadSession,
  { id }: KnownToken,
  holder: Bytes,
  request: PageRequest<RankCursor>,
): Promise<IdPage> {
  const owner = await session.addresses.id(holder);
  const ids = owner === undefined ? [] : ((await itemsByToken(session, owner)).get(id) ?? []);
  const from = firstAfterCursor(
    ids.toReversed().map((item) => ({ key: keyOf(item) })),
    request,
  );
  return { ids: ids.toReversed().slice(from, from + request.pageSize + 1), total: ids.length };
}

export async function describeItems(
  metadata: CachedMetadata,
  session: ReadSession,
  items: readonly Item[],
): Promise<TokenItem[]> {
  const [tokens, facts] = await Promise.all([
    session.tokens.byId(items.map(({ token }) => token)),
    readItemFacts(session, items),
  ]);
  return composeItems(metadata, session, items, { tokens, ...facts });
}

/** Data of items other than their ids. */
export interface ItemFacts {
  readonly last: ReadonlyMap<ItemId, LastTransfer>;
  /** Balances of items with one holder. */
  readonly single: ReadonlyMap<ItemId, bigint>;
}

export async function readItemFacts({ tokens }: ReadSession, items: readonly Pick<Item, "id">[]): Promise<ItemFacts> {
  const ids = items.map(({ id }) => id);
  const { holders } = tokens.items;
  const readSingle = async () => {
    const counts = await holders.counts(ids);
    return holders.amounts(ids.filter((id) => counts.get(id) === 1));
  };
  const [last, single] = await Promise.all([tokens.items.lastTransfers(ids), readSingle()]);
  return { last, single };
}

export async function composeItems(
  metadata: CachedMetadata,
  session: ReadSession,
  items: readonly Item[],
  { tokens, last, single }: ItemFacts & { readonly tokens: ReadonlyMap<number, KnownToken> },
): Promise<TokenItem[]> {
  const named = items.map(({ token, tokenId }) => ({ token: mustHave(tokens.get(token), `token ${token}`), tokenId }));
  const kept = await metadata.of(named, session);
  return items.map(({ id, tokenId }, at) => {
    const { token: of } = mustHave(named[at], "an item");
    const newest = of.state.hasItems ? undefined : last.get(id);
    const isUnique = of.state.hasItems ? single.get(id) === 1n : true;
    const owner = newest?.kind === "ERC-721" ? newest.to : undefined;
    return { token: of, tokenId, owner, isUnique, metadata: kept[at] };
  });
}

import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { ReadSession } from "../../store/session.ts";
import type { ItemHolding, ItemStanding, ItemsHeld } from "../../store/stages/tokens/read/itemHolderReads.ts";
import type { Item } from "../../store/stages/tokens/read/itemReads.ts";
import type { QueryContext } from "../context.ts";
import type { PageRequest, RankCursor } from "../pages.ts";
import { rankedPageInfo } from "../pages.ts";
import { readTokenRange } from "../stageRanges.ts";
import type { Holder, HolderPage } from "./holders.ts";
import { listHolders } from "./holders.ts";
import { readItem } from "./items.ts";
import { readToken } from "./token.ts";

/** One row per id for ERC-1155. */
export interface ItemHolder extends Holder {
  /** 32 bytes; undefined for a whole token. */
  readonly tokenId: Bytes | undefined;
}

interface ItemHolderPage extends Omit<HolderPage, "holders"> {
  readonly holders: readonly ItemHolder[];
}

/** By balance; ERC-1155 per id. Undefined if it is no token. */
export async function listHoldersById(
  context: QueryContext,
  address: Bytes,
  request: PageRequest<RankCursor>,
): Promise<ItemHolderPage | undefined> {
  const page = await readPage(context, request, async (session) => {
    const token = await readToken(session, address);
    return token?.state.hasItems ? { list: "tokens", owner: token.id } : undefined;
  });
  if (page !== undefined) return page;
  const whole = await listHolders(context, address, request);
  return whole && { ...whole, holders: whole.holders.map((holder) => ({ ...holder, tokenId: undefined })) };
}

/** By balance; the owner unless ERC-1155. Undefined if there is no such item. */
export async function listItemHolders(
  context: QueryContext,
  address: Bytes,
  tokenId: Bytes,
  request: PageRequest<RankCursor>,
): Promise<ItemHolderPage | undefined> {
  const ranked = await readPage(context, request, async (session) => {
    const token = await readToken(session, address);
    const item = token && (await session.tokens.items.find(token.id, tokenId));
    return token?.state.hasItems && item !== undefined ? { list: "items", owner: item.id } : undefined;
  });
  return ranked ?? readOwner(context, address, tokenId, request);
}

function readPage(
  { store }: QueryContext,
  request: PageRequest<RankCursor>,
  find: (session: ReadSession) => Promise<ItemsHeld | undefined>,
): Promise<ItemHolderPage | undefined> {
  const { page, pageSize, cursor } = request;
  return store.read(async (session) => {
    const [range, of] = await Promise.all([readTokenRange(session), find(session)]);
    if (of === undefined) return undefined;
    const { holders } = session.tokens.items;
    const count = await holders.count(of);
    const ranked =
      cursor === undefined
        ? await holders.fromRank(of, (page - 1) * pageSize, pageSize + 1, count)
        : await holders.below(of, standingAt(of, cursor), pageSize + 1);
    const shown = ranked.slice(0, pageSize);
    const end = ranked.length > pageSize ? shown.at(-1) : undefined;
    const ids = [...new Set(shown.map(({ item }) => item))];
    const [found, addresses] = await Promise.all([
      session.tokens.items.at(ids),
      session.addresses.infos(shown.map(({ address }) => address)),
    ]);
    const items = new Map(found.map((item) => [item.id, item]));
    return {
      holders: shown.map((holding) => asHolder(holding, items)),
      addresses,
      info: rankedPageInfo(request, range, count, end && keyOf(of, end)),
    };
  });
}

const asHolder = ({ item, address, amount }: ItemHolding, items: ReadonlyMap<number, Item>): ItemHolder => ({
  holder: address,
  amount,
  source: "ledger",
  tokenId: items.get(item)?.tokenId,
});

/** Ids are below 2^32. */
const ID_BITS = 32n;

/** Three sort values; the first two are packed into one. */
function keyOf({ list }: ItemsHeld, { amount, item, holder }: ItemStanding): RankCursor["key"] {
  return [list === "items" ? amount : (amount << ID_BITS) | BigInt(item), holder];
}

function standingAt({ list, owner }: ItemsHeld, { key: [first, holder] }: RankCursor): ItemStanding {
  if (list === "items") return { amount: first, item: owner, holder };
  return { amount: first >> ID_BITS, item: Number(BigInt.asUintN(Number(ID_BITS), first)), holder };
}

async function readOwner(
  { store }: QueryContext,
  address: Bytes,
  tokenId: Bytes,
  request: PageRequest<RankCursor>,
): Promise<ItemHolderPage | undefined> {
  return store.read(async (session) => {
    const [range, item] = await Promise.all([readTokenRange(session), readItem(session, address, tokenId)]);
    if (item === undefined) return undefined;
    const last = (await session.tokens.items.lastTransfers([item.id])).get(item.id);
    const owners = last?.to === undefined ? [] : [last.to];
    const shown = request.page === 1 ? owners : [];
    return {
      holders: shown.map((holder) => ({ holder, amount: 1n, source: "ledger", tokenId })),
      addresses: await session.addresses.infos(shown),
      info: rankedPageInfo(request, range, owners.length, undefined),
    };
  });
}

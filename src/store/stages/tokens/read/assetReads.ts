import type { Bytes } from "../../../../chain/encoding/bytes.ts";
import type { Reader } from "../../../engine/database.ts";
import { loadCachedOne } from "../../../read/snapshotCache.ts";
import { mustHave } from "../../../rows/encoding.ts";
import type { AddressId } from "../../../rows/ids.ts";
import type { AssetCounts, AssetList } from "../tables/assetCounts.ts";
import { ASSET_LISTS, findRank, RANGE, totalOf } from "../tables/assetCounts.ts";
import { readCounts, readHoldings } from "../tables/assets.ts";
import { readHolding } from "../tables/holdings.ts";
import { readItem } from "../tables/tokenTables.ts";
import { heldCoins } from "../tables/wrappedCoins.ts";

/** Pseudo-list after the stored ones: wrapped coins without transfers. */
export const COINS = 3;

/** In list order. */
export const BALANCES: readonly Asset["list"][] = [ASSET_LISTS.tokens, ASSET_LISTS.items, COINS];

/** Items only. */
export const OWN_ITEMS: readonly Asset["list"][] = [ASSET_LISTS.items, ASSET_LISTS.uniques];

/** List and id. */
export interface Asset {
  readonly list: AssetList | typeof COINS;
  readonly id: number;
}

export interface HeldAsset extends Asset {
  readonly token: AddressId;
  readonly tokenId: Bytes | undefined;
  readonly amount: bigint;
}

const isStored = (list: Asset["list"]): list is AssetList => list !== COINS;
const IN_LIST = "SELECT asset FROM asset WHERE address = ? AND list = ?";

/**
 * Assets list by list, by first appearance. A token whose first transfer was ERC-1155 counts per item, others as a
 * whole.
 */
export class AssetReads {
  readonly #db: Reader;

  constructor(db: Reader) {
    this.#db = db;
  }

  async count(address: AddressId, lists = BALANCES): Promise<number> {
    const counts = await this.#counts(address);
    if (counts === undefined) return (await this.#unlisted(address, lists)).length;
    const listed = lists.reduce<number>((sum, list) => sum + (isStored(list) ? totalOf(counts.lists[list]) : 0), 0);
    return listed + (await this.#coins(address, lists)).length;
  }

  /** 0-based; walks at most half an id range. */
  async fromRank(address: AddressId, rank: number, limit: number, lists = BALANCES): Promise<Asset[]> {
    const counts = await this.#counts(address);
    if (counts === undefined) return (await this.#unlisted(address, lists)).slice(rank, rank + limit);
    let left = rank;
    for (const list of lists.filter(isStored)) {
      const found = findRank(counts.lists[list], left);
      if (typeof found === "object") {
        const first = found.range * RANGE;
        const id = found.skipped === 0 ? first : await this.#nth(address, list, [first, first + RANGE], found);
        return this.#from(address, { list, id }, limit, lists);
      }
      left = found;
    }
    return (await this.#coins(address, lists)).slice(left, left + limit);
  }

  /** Assets after a given one, whatever its rank. */
  async after(address: AddressId, { list, id }: Asset, limit: number, lists = BALANCES): Promise<Asset[]> {
    if ((await this.#counts(address)) !== undefined) return this.#from(address, { list, id: id + 1 }, limit, lists);
    const assets = await this.#unlisted(address, lists);
    return assets.filter((asset) => asset.list > list || (asset.list === list && asset.id > id)).slice(0, limit);
  }

  async #counts(address: AddressId): Promise<AssetCounts | undefined> {
    const find = async () => (await readCounts(this.#db, [address])).get(address) ?? null;
    return (await loadCachedOne(this.#db, "asset counts", find, String(address))) ?? undefined;
  }

  /** The assets of an address with few holdings. */
  async #unlisted(address: AddressId, lists: readonly Asset["list"][]): Promise<Asset[]> {
    const find = () => readHoldings(this.#db, [address]);
    const [moves = [], coins] = await Promise.all([
      loadCachedOne(this.#db, "holdings", find, String(address)),
      this.#coins(address, lists),
    ]);
    const held = moves.filter(({ by, list }) => by > 0 && lists.includes(list));
    return [...held.map(({ list, asset }) => ({ list, id: asset })), ...coins];
  }

  /** Walks the range from its nearer end. */
  async #nth(
    address: AddressId,
    list: AssetList,
    [first, end]: readonly [number, number],
    { skipped, count }: { skipped: number; count: number },
  ): Promise<number> {
    const range = `${IN_LIST} AND asset >= ? AND asset < ?`;
    const isNearEnd = skipped > count >> 1;
    const order = isNearEnd ? "ORDER BY asset DESC" : "ORDER BY asset";
    const offset = isNearEnd ? count - 1 - skipped : skipped;
    const [row] = await this.#db.all(`${range} ${order} LIMIT 1 OFFSET ?`, address, list, first, end, offset);
    return mustHave(row, `an asset of address ${address}`)[0] as number;
  }

  async #from(address: AddressId, start: Asset, limit: number, lists: readonly Asset["list"][]): Promise<Asset[]> {
    const sql = `${IN_LIST} AND asset >= ? ORDER BY asset LIMIT ?`;
    const read = async (list: AssetList): Promise<Asset[]> => {
      const first = list === start.list ? start.id : 0;
      const rows = await this.#db.all<[number]>(sql, address, list, first, limit);
      return rows.map(([id]) => ({ list, id }));
    };
    const [coins, ...stored] = await Promise.all([
      this.#coins(address, lists),
      ...lists.filter(isStored).flatMap((list) => (list < start.list ? [] : [read(list)])),
    ]);
    const assets = stored.flat();
    const rest = start.list === COINS ? coins.filter(({ id }) => id >= start.id) : coins;
    return [...assets, ...rest].slice(0, limit);
  }

  async #coins(address: AddressId, lists: readonly Asset["list"][]): Promise<Asset[]> {
    if (!lists.includes(COINS)) return [];
    return (await heldCoins(this.#db, address)).map(({ token }) => ({ list: COINS, id: token }));
  }

  async amounts(address: AddressId, assets: readonly Asset[]): Promise<HeldAsset[]> {
    const idsOf = (isWanted: (list: Asset["list"]) => boolean) =>
      assets.filter(({ list }) => isWanted(list)).map(({ id }) => id);
    const items = idsOf((list) => OWN_ITEMS.includes(list));
    const tokens = idsOf((list) => list === ASSET_LISTS.tokens);
    const hasCoins = assets.some(({ list }) => list === COINS);
    const [rows, coins, ofTokens, ofItems] = await Promise.all([
      this.#db.load<[number, Bytes]>("SELECT id, value FROM item WHERE id IN ($keys)", items),
      hasCoins ? heldCoins(this.#db, address) : [],
      this.#amounts("holding", address, tokens),
      this.#amounts("item_holding", address, items),
    ]);
    const itemsById = new Map(rows.map(([id, value]) => [id, readItem(value)]));
    const ofCoins = new Map(coins.map(({ token, amount }) => [token, amount]));
    return assets.map(({ list, id }) => {
      const amounts = list === COINS ? ofCoins : list === ASSET_LISTS.tokens ? ofTokens : ofItems;
      const { token, tokenId } = (amounts === ofItems && itemsById.get(id)) || { token: id, tokenId: undefined };
      return { list, id, token, tokenId, amount: mustHave(amounts.get(id), `what address ${address} has`) };
    });
  }

  async #amounts(table: string, address: AddressId, assets: readonly number[]): Promise<Map<number, bigint>> {
    const pairs = assets.map((asset) => [address, asset] as const);
    const sql = `SELECT asset, value FROM ${table} WHERE (address, asset) IN ($pairs)`;
    const rows = await this.#db.loadPairs<[number, Bytes]>(sql, pairs);
    return new Map(rows.map(([asset, value]) => [asset, readHolding(value).amount]));
  }
}

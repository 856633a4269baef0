import type { Bytes } from "../../../chain/encoding/bytes.ts";
import type { Connection } from "../../engine/engine.ts";
import { mustHave } from "../../rows/encoding.ts";
import type { AddressId } from "../../rows/ids.ts";
import { readHolding } from "../ledger/holdings.ts";
import { readItem } from "../ledger/tokenTables.ts";
import { heldCoins } from "../wraps/wrappedCoins.ts";
import type { AssetList } from "./assetCounts.ts";
import { ASSET_LISTS, findRank, RANGE, totalOf } from "./assetCounts.ts";
import { readCounts, readHoldings } from "./assets.ts";

/** Comes after the lists of the index: wrapped coins that nobody has sent yet. */
const COINS = 2;

/** The lists in the order in which they come. */
export const ASSET_ORDER = [ASSET_LISTS.tokens, ASSET_LISTS.items, COINS] as const;

/** Something an address has: a token, an item, or a wrapped coin, by the list that it is in and its id. */
export interface Asset {
  readonly list: AssetList | typeof COINS;
  readonly id: number;
}

export interface HeldAsset extends Asset {
  readonly token: AddressId;
  /** 32 bytes, where it is an item. */
  readonly tokenId: Bytes | undefined;
  readonly amount: bigint;
}

const LISTS = Object.values(ASSET_LISTS);
const IN_LIST = "SELECT asset FROM asset WHERE address = ? AND list = ?";

/**
 * What addresses have, in order: tokens as a whole, then items, then wrapped coins, each as they were first seen. A token
 * whose first transfer was an ERC-1155's counts item by item, every other one as a whole.
 */
export class AssetReads {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  async count(address: AddressId): Promise<number> {
    const counts = (await readCounts(this.#connection, [address])).get(address);
    const listed = counts === undefined ? (await this.#unlisted(address)).length : totalOf(counts);
    return listed + (await heldCoins(this.#connection, address)).length;
  }

  /** Up to `limit` assets from a rank on, counted from 0. It costs a walk over half a range of ids at most. */
  async fromRank(address: AddressId, rank: number, limit: number): Promise<Asset[]> {
    const counts = (await readCounts(this.#connection, [address])).get(address);
    if (counts === undefined) {
      const assets = [...(await this.#unlisted(address)), ...(await this.#coins(address))];
      return assets.slice(rank, rank + limit);
    }
    let left = rank;
    for (const list of LISTS) {
      const found = findRank(counts.lists[list], left);
      if (typeof found === "object") {
        const first = found.range * RANGE;
        const id = await this.#nth(address, list, [first, first + RANGE], found);
        return this.#from(address, { list, id }, limit);
      }
      left = found;
    }
    return (await this.#coins(address)).slice(left, left + limit);
  }

  /** Up to `limit` assets that come after one, wherever that is. */
  async after(address: AddressId, { list, id }: Asset, limit: number): Promise<Asset[]> {
    const isListed = (await readCounts(this.#connection, [address])).size > 0;
    if (isListed) return this.#from(address, { list, id: id + 1 }, limit);
    const assets = [...(await this.#unlisted(address)), ...(await this.#coins(address))];
    return assets.filter((asset) => asset.list > list || (asset.list === list && asset.id > id)).slice(0, limit);
  }

  /** The assets of an address with few holdings. */
  async #unlisted(address: AddressId): Promise<Asset[]> {
    const moves = await readHoldings(this.#connection, [address]);
    return moves.filter(({ by }) => by > 0).map(({ list, asset }) => ({ list, id: asset }));
  }

  /** The id of the asset that comes after `skipped` others of a range, walked from the nearer end. */
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
    const [row] = await this.#connection.all(`${range} ${order} LIMIT 1 OFFSET ?`, address, list, first, end, offset);
    return mustHave(row, `an asset of address ${address}`)[0] as number;
  }

  async #from(address: AddressId, start: Asset, limit: number): Promise<Asset[]> {
    const assets: Asset[] = [];
    for (const list of LISTS) {
      if (list < start.list || assets.length >= limit) continue;
      const sql = `${IN_LIST} AND asset >= ? ORDER BY asset LIMIT ?`;
      const first = list === start.list ? start.id : 0;
      const rows = await this.#connection.all<[number]>(sql, address, list, first, limit - assets.length);
      for (const [id] of rows) assets.push({ list, id });
    }
    const coins = await this.#coins(address);
    const rest = start.list === COINS ? coins.filter(({ id }) => id >= start.id) : coins;
    return [...assets, ...rest].slice(0, limit);
  }

  async #coins(address: AddressId): Promise<Asset[]> {
    return (await heldCoins(this.#connection, address)).map(({ token }) => ({ list: COINS, id: token }));
  }

  /** In the order of the assets asked for. */
  async amounts(address: AddressId, assets: readonly Asset[]): Promise<HeldAsset[]> {
    const idsOf = (wanted: Asset["list"]) => assets.filter(({ list }) => list === wanted).map(({ id }) => id);
    const items = idsOf(ASSET_LISTS.items);
    const rows = await this.#connection.load<[number, Bytes]>("SELECT id, value FROM item WHERE id IN ($keys)", items);
    const itemsById = new Map(rows.map(([id, value]) => [id, readItem(value)]));
    const coins = idsOf(COINS).length > 0 ? await heldCoins(this.#connection, address) : [];
    const amounts: ReadonlyMap<number, bigint>[] = [
      await this.#amounts("holding", address, idsOf(ASSET_LISTS.tokens)),
      await this.#amounts("item_holding", address, items),
      new Map(coins.map(({ token, amount }) => [token, amount])),
    ];
    return assets.map(({ list, id }) => {
      const { token, tokenId } = (list === ASSET_LISTS.items && itemsById.get(id)) || { token: id, tokenId: undefined };
      return { list, id, token, tokenId, amount: mustHave(amounts[list]!.get(id), `what address ${address} has`) };
    });
  }

  async #amounts(table: string, address: AddressId, assets: readonly number[]): Promise<Map<number, bigint>> {
    const pairs = assets.map((asset) => [address, asset] as const);
    const sql = `SELECT asset, value FROM ${table} WHERE (address, asset) IN ($pairs)`;
    const rows = await this.#connection.loadPairs<[number, Bytes]>(sql, pairs);
    return new Map(rows.map(([asset, value]) => [asset, readHolding(value).amount]));
  }
}

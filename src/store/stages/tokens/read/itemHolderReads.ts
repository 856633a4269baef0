import type { Bytes } from "../../../../chain/encoding/bytes.ts";
import type { Reader, Value } from "../../../engine/database.ts";
import { readNumber } from "../../../engine/database.ts";
import { AddressResolver } from "../../../read/addressResolver.ts";
import type { AddressId, ItemId } from "../../../rows/ids.ts";
import { readSigned, writeSigned } from "../../../rows/signedAmount.ts";
import { HOLDER_LISTS } from "../tables/itemHolderRanking.ts";

/** What an address has of an item. */
export interface ItemHolding {
  readonly item: ItemId;
  readonly holder: AddressId;
  readonly address: Bytes;
  readonly amount: bigint;
}

/** Where a holder stands in a ranking. */
export type ItemStanding = Omit<ItemHolding, "address">;

/** Whose holders: those of all items of a token, or those of one item. */
export interface ItemsHeld {
  readonly list: "tokens" | "items";
  readonly owner: number;
}

const COLUMN = { tokens: "token", items: "item" } as const;

/** The holders of the items of ERC-1155 tokens by value, the largest first; of equal ones, what was seen later comes first. */
export class ItemHolderReads {
  readonly #db: Reader;

  constructor(db: Reader) {
    this.#db = db;
  }

  /** Of all items of a token everybody counts once for each item that he has. */
  count({ list, owner }: ItemsHeld): Promise<number> {
    const sql = "SELECT holders FROM item_holder_count WHERE list = ? AND owner = ?";
    return readNumber(this.#db, sql, HOLDER_LISTS[list], owner);
  }

  /** The same for some items. */
  async counts(items: readonly ItemId[]): Promise<Map<ItemId, number>> {
    const sql = `SELECT owner, holders FROM item_holder_count WHERE list = ${HOLDER_LISTS.items} AND owner IN ($keys)`;
    return new Map(await this.#db.load<[number, number]>(sql, items));
  }

  /** All that is held of some items, which have few holders. */
  async amounts(items: readonly ItemId[]): Promise<Map<ItemId, bigint>> {
    const sql = "SELECT item, amount FROM item_holder WHERE item IN ($keys)";
    const sums = new Map<ItemId, bigint>();
    for (const [item, amount] of await this.#db.load<[number, Bytes]>(sql, items)) {
      sums.set(item, (sums.get(item) ?? 0n) + readSigned(amount));
    }
    return sums;
  }

  /** Up to `limit` holders from a rank on, counted from 0, of the `count` there are: walked from the nearer end. */
  async fromRank(of: ItemsHeld, rank: number, limit: number, count: number): Promise<ItemHolding[]> {
    const size = Math.min(limit, count - rank);
    if (size <= 0) return [];
    const below = count - rank - size;
    if (rank <= below) return this.#read(of, "", "DESC", [of.owner, size, rank]);
    return (await this.#read(of, "", "ASC", [of.owner, size, below])).reverse();
  }

  /** Up to `limit` holders below one, wherever that is. */
  below(of: ItemsHeld, { amount, item, holder }: ItemStanding, limit: number): Promise<ItemHolding[]> {
    const isItem = of.list === "items";
    const bound = isItem ? "AND (amount, address) < (?, ?)" : "AND (amount, item, address) < (?, ?, ?)";
    const key = isItem ? [writeSigned(amount), holder] : [writeSigned(amount), item, holder];
    return this.#read(of, bound, "DESC", [of.owner, ...key, limit, 0]);
  }

  async #read(
    { list }: ItemsHeld,
    bound: string,
    order: "ASC" | "DESC",
    parameters: readonly Value[],
  ): Promise<ItemHolding[]> {
    const keys = list === "items" ? ["amount", "address"] : ["amount", "item", "address"];
    const by = keys.map((key) => `${key} ${order}`).join(", ");
    const sql = `SELECT item, address, amount FROM item_holder WHERE ${COLUMN[list]} = ? ${bound} ORDER BY ${by} LIMIT ? OFFSET ?`;
    const rows = await this.#db.all<[number, number, Bytes]>(sql, ...parameters);
    const resolver = new AddressResolver(this.#db, { infos: true });
    const found = rows.map(([item, holder, amount]) => ({
      item,
      holder,
      address: resolver.address(holder),
      amount: readSigned(amount),
    }));
    await resolver.load();
    return found;
  }
}

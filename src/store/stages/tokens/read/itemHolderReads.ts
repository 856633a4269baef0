import type { Bytes } from "../../../../chain/encoding/bytes.ts";
import type { Reader, Value } from "../../../engine/database.ts";
import { readNumber } from "../../../engine/database.ts";
import { AddressResolver } from "../../../read/addressResolver.ts";
import type { AddressId, ItemId } from "../../../rows/ids.ts";
import { readSigned, writeSigned } from "../../../rows/signedAmount.ts";
import { HOLDER_LISTS } from "../tables/itemHolderRanking.ts";

export interface ItemHolding {
  readonly item: ItemId;
  readonly holder: AddressId;
  readonly address: Bytes;
  readonly amount: bigint;
}

export type ItemStanding = Omit<ItemHolding, "address">;

/** All items of a token, or one item. */
export interface ItemsHeld {
  readonly list: "tokens" | "items";
  readonly owner: number;
}

const COLUMN = { tokens: "token", items: "item" } as const;

/** By amount, largest first; ties by descending id. */
export class ItemHolderReads {
  readonly #db: Reader;

  constructor(db: Reader) {
    this.#db = db;
  }

  /** Per token, a holder counts once per item. */
  count({ list, owner }: ItemsHeld): Promise<number> {
    const sql = "SELECT holders FROM item_holder_count WHERE list = ? AND owner = ?";
    return readNumber(this.#db, sql, HOLDER_LISTS[list], owner);
  }

  async counts(items: readonly ItemId[]): Promise<Map<ItemId, number>> {
    const sql = `SELECT owner, holders FROM item_holder_count WHERE list = ${HOLDER_LISTS.items} AND owner IN ($keys)`;
    return new Map(await this.#db.load<[number, number]>(sql, items));
  }

  /** Total held of items with few holders. */
  async amounts(items: readonly ItemId[]): Promise<Map<ItemId, bigint>> {
    const sql = "SELECT item, amount FROM item_holder WHERE item IN ($keys)";
    const sums = new Map<ItemId, bigint>();
    for (const [item, amount] of await this.#db.load<[number, Bytes]>(sql, items)) {
      sums.set(item, (sums.get(item) ?? 0n) + readSigned(amount));
    }
    return sums;
  }

  /** 0-based; walks from the nearer end of `count`. */
  async fromRank(of: ItemsHeld, rank: number, limit: number, count: number): Promise<ItemHolding[]> {
    const size = Math.min(limit, count - rank);
    if (size <= 0) return [];
    const below = count - rank - size;
    if (rank <= below) return this.#read(of, "", "DESC", [of.owner, size, rank]);
    return (await this.#read(of, "", "ASC", [of.owner, size, below])).reverse();
  }

  /** Holders after a given one, whatever its rank. */
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

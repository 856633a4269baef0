import type { Bytes } from "../../../../chain/encoding/bytes.ts";
import type { TokenKind } from "../../../../chain/token/tokenTransfer.ts";
import { findId } from "../../../dictionary/findValues.ts";
import type { KeyedHash } from "../../../dictionary/keyedHash.ts";
import type { Reader } from "../../../engine/database.ts";
import { AddressResolver } from "../../../read/addressResolver.ts";
import { mustHave } from "../../../rows/encoding.ts";
import type { AddressId, ItemId } from "../../../rows/ids.ts";
import type { ListReads, SearchableList } from "../../../tables/list.ts";
import { itemTransfers, itemValue, readItem, tokenItems } from "../tables/tokenTables.ts";
import { readTransfer } from "../tables/transferBody.ts";
import { ZERO_ADDRESS_ID } from "../tables/transferIds.ts";
import { ItemHolderReads } from "./itemHolderReads.ts";

/** An id named by a transfer. */
export interface Item {
  readonly id: ItemId;
  readonly token: AddressId;
  readonly tokenId: Bytes;
}

/** Last recipient of an item. */
export interface LastTransfer {
  readonly kind: TokenKind;
  /** Undefined if burnt. */
  readonly to: Bytes | undefined;
}

/** Item ids are in order of first transfer. */
export class ItemReads {
  readonly holders: ItemHolderReads;
  readonly #db: Reader;
  readonly #hash: KeyedHash;
  readonly #transfers: ListReads<"item id">;
  readonly #ofTokens: ListReads<"address id", "item id">;

  constructor(db: Reader, hash: KeyedHash) {
    this.holders = new ItemHolderReads(db);
    this.#db = db;
    this.#hash = hash;
    this.#transfers = itemTransfers(db);
    this.#ofTokens = tokenItems(db);
  }

  async find(token: AddressId, tokenId: Bytes): Promise<Item | undefined> {
    const id = await findId(this.#db, "item", this.#hash, itemValue(token, tokenId));
    return id === undefined ? undefined : { id, token, tokenId };
  }

  /** In the order of the ids. */
  async at(ids: readonly ItemId[]): Promise<Item[]> {
    const rows = await this.#db.load<[number, Bytes]>("SELECT id, value FROM item WHERE id IN ($keys)", ids);
    const values = new Map(rows);
    return ids.map((id) => ({ id, ...readItem(mustHave(values.get(id), `item ${id}`)) }));
  }

  /** By id. */
  ofToken(token: AddressId): SearchableList<"item id"> {
    return this.#ofTokens.of(token);
  }

  /** Transfers of an item. */
  transfers(item: ItemId): SearchableList {
    return this.#transfers.of(item);
  }

  /** The same by the id that it has in its token. Every item has transfers: those of no item are none. */
  transfersOf(token: AddressId, tokenId: Bytes): Promise<SearchableList> {
    return this.#transfers.find("item", this.#hash, itemValue(token, tokenId));
  }

  /** The newest transfers of some items. */
  async lastTransfers(items: readonly ItemId[]): Promise<Map<ItemId, LastTransfer>> {
    const positions = await this.#transfers.newest(items);
    const sql = "SELECT position, body FROM transfer WHERE position IN ($keys)";
    const rows = new Map(await this.#db.load<[number, Bytes]>(sql, [...positions.values()]));
    const resolver = new AddressResolver(this.#db, { infos: true });
    const found = [...positions].map(([item, position]): [ItemId, LastTransfer] => {
      const { kind, to } = readTransfer(mustHave(rows.get(position), `the transfer at ${position}`));
      return [item, { kind, to: to === ZERO_ADDRESS_ID ? undefined : resolver.address(to) }];
    });
    await resolver.load();
    return new Map(found);
  }
}

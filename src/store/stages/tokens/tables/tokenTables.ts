import type { Bytes } from "../../../../chain/encoding/bytes.ts";
import { Dictionary } from "../../../dictionary/dictionary.ts";
import type { KeyedHash } from "../../../dictionary/keyedHash.ts";
import type { Reader } from "../../../engine/database.ts";
import type { KeyMerges } from "../../../keys/keyMerges.ts";
import { asBytes, corrupt } from "../../../rows/encoding.ts";
import type { AddressId } from "../../../rows/ids.ts";
import type { ListTable } from "../../../tables/list.ts";
import { ListReads, PositionList } from "../../../tables/list.ts";
import { MutableRows } from "../../../tables/mutableRows.ts";
import { MAX_UNLISTED } from "./assetCounts.ts";
import type { DepositLedger } from "./depositLedger.ts";
import { depositCodec } from "./depositLedger.ts";
import { HoldingCounts } from "./holdingCounts.ts";
import { Holdings } from "./holdings.ts";
import type { TokenState } from "./tokenState.ts";
import { tokenState } from "./tokenState.ts";

/** Cached items. */
const CACHED = 200_000;

const TOKEN_TRANSFERS: ListTable = { name: "token_transfer", isTagged: false };
const ADDRESS_TRANSFERS: ListTable = { name: "address_transfer", isTagged: false };
const TOKEN_ITEMS: ListTable = { name: "token_item", isTagged: false };
const ITEM_TRANSFERS: ListTable = { name: "item_transfer", isTagged: false };

/** Write access to the tokens stage. */
export class TokenTables {
  /** Token and id. */
  readonly items: Dictionary<"item id">;
  readonly tokenTransfers: PositionList<"address id">;
  readonly addressTransfers: PositionList<"address id">;
  readonly tokenItems: PositionList<"address id", "item id">;
  readonly itemTransfers: PositionList<"item id">;
  readonly tokens: MutableRows<TokenState>;
  /** Contracts with deposits before any transfer. */
  readonly wrappers: MutableRows<DepositLedger>;
  readonly holdings: Holdings;
  readonly itemHoldings: Holdings;
  readonly #holdingCounts = new HoldingCounts();

  constructor(hash: KeyedHash, merges?: KeyMerges) {
    this.items = new Dictionary(hash, "item", 36, CACHED, merges);
    this.tokenTransfers = new PositionList(TOKEN_TRANSFERS);
    this.addressTransfers = new PositionList(ADDRESS_TRANSFERS);
    this.tokenItems = new PositionList(TOKEN_ITEMS);
    this.itemTransfers = new PositionList(ITEM_TRANSFERS);
    this.tokens = new MutableRows("token", tokenState);
    this.wrappers = new MutableRows("wrapper", depositCodec);
    this.holdings = new Holdings(hash, "holding", this.#holdingCounts);
    this.itemHoldings = new Holdings(hash, "item_holding", this.#holdingCounts);
  }

  /** Lists owned by addresses. */
  get lists(): readonly PositionList<string, string>[] {
    return [this.tokenTransfers, this.addressTransfers, this.tokenItems];
  }

  /** Whether its assets may have to be listed. */
  mayHaveMany(address: AddressId): boolean {
    const areCounted = this.holdings.areCounted && this.itemHoldings.areCounted;
    return !areCounted || this.#holdingCounts.mayExceed(address, MAX_UNLISTED);
  }

  clear(): void {
    for (const list of [...this.lists, this.itemTransfers]) list.clear();
    for (const part of [this.items, this.tokens, this.wrappers, this.holdings, this.itemHoldings]) part.clear();
  }
}

export const tokenTransfers = (db: Reader): ListReads<"address id"> => new ListReads(db, TOKEN_TRANSFERS);

export const addressTransfers = (db: Reader): ListReads<"address id"> => new ListReads(db, ADDRESS_TRANSFERS);

export const tokenItems = (db: Reader): ListReads<"address id", "item id"> => new ListReads(db, TOKEN_ITEMS);

export const itemTransfers = (db: Reader): ListReads<"item id"> => new ListReads(db, ITEM_TRANSFERS);

export function itemValue(token: AddressId, tokenId: Bytes): Bytes {
  const bytes = new Uint8Array(36);
  new DataView(bytes.buffer).setUint32(0, token);
  bytes.set(tokenId, 4);
  return bytes;
}

export function readItem(value: Bytes): { token: AddressId; tokenId: Bytes } {
  if (asBytes(value).length !== 36) throw corrupt("a stored item has another size");
  return { token: new DataView(value.buffer, value.byteOffset).getUint32(0), tokenId: value.subarray(4) };
}

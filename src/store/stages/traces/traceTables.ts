import { Dictionary } from "../../dictionary/dictionary.ts";
import type { KeyedHash } from "../../dictionary/keyedHash.ts";
import type { Reader } from "../../engine/database.ts";
import type { ListTable } from "../../tables/list.ts";
import { ListReads, PositionList } from "../../tables/list.ts";

/** Addresses that are kept in memory, about 40 bytes each. */
const CACHED = 200_000;

const ADDRESS_CALLS: ListTable = { name: "trace_address_call", isTagged: false };

/** The tables of the traces stage as the write path uses them. */
export class TraceTables {
  readonly addresses: Dictionary<"trace address id">;
  readonly calls: PositionList<"trace address id">;

  constructor(hash: KeyedHash) {
    this.addresses = new Dictionary(hash, "trace_address", 20, CACHED);
    this.calls = new PositionList(ADDRESS_CALLS);
  }

  clear(): void {
    this.addresses.clear();
    this.calls.clear();
  }
}

/** The calls from and to each address. */
export const addressCalls = (db: Reader): ListReads<"trace address id"> => new ListReads(db, ADDRESS_CALLS);

import { Dictionary } from "../../dictionary/dictionary.ts";
import type { KeyedHash } from "../../dictionary/keyedHash.ts";
import type { Reader } from "../../engine/database.ts";
import type { KeyMerges } from "../../keys/keyMerges.ts";
import type { ListTable } from "../../tables/list.ts";
import { ListReads, PositionList } from "../../tables/list.ts";

/** Cached addresses, about 40 bytes each. */
const CACHED = 200_000;

const ADDRESS_CALLS: ListTable = { name: "trace_address_call", isTagged: false };

/** Write access to the traces stage. */
export class TraceTables {
  readonly addresses: Dictionary<"trace address id">;
  readonly calls: PositionList<"trace address id">;

  constructor(hash: KeyedHash, merges: KeyMerges) {
    this.addresses = new Dictionary(hash, "trace_address", 20, CACHED, merges);
    this.calls = new PositionList(ADDRESS_CALLS);
  }

  clear(): void {
    this.addresses.clear();
    this.calls.clear();
  }
}

export const addressCalls = (db: Reader): ListReads<"trace address id"> => new ListReads(db, ADDRESS_CALLS);

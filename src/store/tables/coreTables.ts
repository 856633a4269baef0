import { Dictionary } from "../dictionary/dictionary.ts";
import type { KeyedHash } from "../dictionary/keyedHash.ts";
import type { Reader } from "../engine/database.ts";
import { KeyIndex } from "../keys/keyIndex.ts";
import { KeyMerges } from "../keys/keyMerges.ts";
import { BLOB_KEYS, BLOCK_KEYS, TRANSACTION_KEYS } from "../keys/keyTable.ts";
import type { Account } from "../rows/account.ts";
import { accountCodec, addAccounts } from "../rows/account.ts";
import type { CallCounters } from "../rows/callCounters.ts";
import { addCallCounters, callCountersCodec } from "../rows/callCounters.ts";
import { ActiveDays } from "./activeDays.ts";
import type { ListTable } from "./list.ts";
import { ListReads, PositionList } from "./list.ts";
import { LogLists } from "./logLists.ts";
import { MinerTables } from "./miners.ts";
import { TailCounters } from "./tailCounters.ts";

/**
 * Cached values, about 40 bytes each: all of a small chain, the frequent ones of a large one. With a batch there are fewer
 * than 2^20 addresses, at which the tables of the dictionary double.
 */
const CACHED = { addresses: 900_000, signatures: 50_000 };

const ADDRESS_TRANSACTIONS: ListTable = { name: "address_tx", isTagged: false };

/** Write access to the core tables. */
export class CoreTables {
  readonly dictionaries: { addresses: Dictionary<"address id">; signatures: Dictionary<"signature id"> };
  readonly keys: Readonly<Record<"blocks" | "transactions" | "blobs", KeyIndex>>;
  /** Of all key tables. */
  readonly merges: KeyMerges;
  readonly addressTransactions: PositionList<"address id">;
  readonly logs: LogLists;
  /** Of the transactions that an address sent, and of those that it received. */
  readonly sent: TailCounters<Account>;
  readonly called: TailCounters<CallCounters>;
  readonly days = new ActiveDays();
  readonly miners: MinerTables;

  constructor(hash: KeyedHash, merges = new KeyMerges()) {
    this.merges = merges;
    this.dictionaries = {
      addresses: new Dictionary(hash, "address", 20, CACHED.addresses, merges),
      signatures: new Dictionary(hash, "signature", 32, CACHED.signatures, merges),
    };
    this.keys = {
      blocks: new KeyIndex(BLOCK_KEYS, merges),
      transactions: new KeyIndex(TRANSACTION_KEYS, merges),
      blobs: new KeyIndex(BLOB_KEYS, merges),
    };
    const { name } = ADDRESS_TRANSACTIONS;
    this.sent = new TailCounters(name, "sent", { ...accountCodec, add: addAccounts });
    this.called = new TailCounters(name, "called", { ...callCountersCodec, add: addCallCounters });
    this.addressTransactions = new PositionList(ADDRESS_TRANSACTIONS, [this.sent, this.called], this.days);
    this.logs = new LogLists();
    this.miners = new MinerTables(hash, merges);
  }

  /** Drops in-memory state after a failed or unwound transaction. */
  clear(): void {
    this.dictionaries.addresses.clear();
    this.dictionaries.signatures.clear();
    for (const index of Object.values(this.keys)) index.clear();
    this.addressTransactions.clear();
    this.logs.clear();
    this.sent.clear();
    this.called.clear();
    this.days.clear();
    this.miners.clear();
  }
}

export const addressTransactions = (db: Reader): ListReads<"address id"> => new ListReads(db, ADDRESS_TRANSACTIONS);

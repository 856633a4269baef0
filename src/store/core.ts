import type { Account } from "./account.ts";
import { accountCodec } from "./account.ts";
import { Dictionary } from "./dictionary.ts";
import type { Engine } from "./engine/engine.ts";
import type { KeyedHash } from "./keyedHash.ts";
import { PositionList } from "./list.ts";
import { MinerTables } from "./miners.ts";
import { MutableRows } from "./mutableRows.ts";

/** Values each dictionary keeps in memory, about 40 bytes each: all of a small chain, the busy ones of a large one. */
const CACHED = { addresses: 1_000_000, signatures: 50_000 };

/** The tables of the core stage as the write path uses them. Reads go to the engine directly. */
export class CoreTables {
  readonly engine: Engine;
  readonly dictionaries: { addresses: Dictionary; signatures: Dictionary };
  readonly addressTransactions: PositionList;
  readonly addressLogs: PositionList;
  readonly accounts: MutableRows<Account>;
  readonly miners: MinerTables;

  constructor(engine: Engine, hash: KeyedHash) {
    this.engine = engine;
    this.dictionaries = {
      addresses: new Dictionary(engine, hash, "address", 20, CACHED.addresses),
      signatures: new Dictionary(engine, hash, "signature", 32, CACHED.signatures),
    };
    this.addressTransactions = addressTransactions(engine);
    this.addressLogs = addressLogs(engine);
    this.accounts = new MutableRows(engine, "account", accountCodec);
    this.miners = new MinerTables(engine, hash);
  }

  /** Forgets everything in memory: what a failed or unwound transaction left there is not true. */
  clear(): void {
    this.dictionaries.addresses.clear();
    this.dictionaries.signatures.clear();
    this.addressTransactions.clear();
    this.addressLogs.clear();
    this.accounts.clear();
    this.miners.clear();
  }
}

export const addressTransactions = (engine: Engine): PositionList =>
  new PositionList(engine, "address_tx", { tagged: false });

/** Each entry is tagged with the id of the log's signature, 0 for an anonymous log. */
export const addressLogs = (engine: Engine): PositionList => new PositionList(engine, "address_log", { tagged: true });

import { Dictionary } from "./dictionary.ts";
import type { Engine } from "./engine/engine.ts";
import { PositionList } from "./list.ts";
import { MutableRows } from "./mutableRows.ts";

/** Values kept in memory for each dictionary: enough for the busy addresses, about 30 MB. */
const CACHED_VALUES = 500_000;

/** The tables of the core stage as the write path uses them. Reads go to the engine directly. */
export class CoreTables {
  readonly engine: Engine;
  readonly dictionaries: { addresses: Dictionary; signatures: Dictionary };
  readonly addressTransactions: PositionList;
  readonly addressLogs: PositionList;
  readonly accounts: MutableRows;

  constructor(engine: Engine) {
    this.engine = engine;
    this.dictionaries = {
      addresses: new Dictionary(engine, "address", 20, CACHED_VALUES),
      signatures: new Dictionary(engine, "signature", 32, CACHED_VALUES / 10),
    };
    this.addressTransactions = addressTransactions(engine);
    this.addressLogs = addressLogs(engine);
    this.accounts = new MutableRows(engine, "account");
  }

  /** Forgets everything in memory: what a failed or unwound transaction left there is not true. */
  clear(): void {
    this.dictionaries.addresses.clear();
    this.dictionaries.signatures.clear();
    this.addressTransactions.clear();
    this.addressLogs.clear();
    this.accounts.clear();
  }
}

export const addressTransactions = (engine: Engine): PositionList =>
  new PositionList(engine, "address_tx", { tagged: false });

/** Each entry is tagged with the id of the log's signature, 0 for an anonymous log. */
export const addressLogs = (engine: Engine): PositionList => new PositionList(engine, "address_log", { tagged: true });

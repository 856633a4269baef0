import type { KeyedHash } from "../dictionary/keyedHash.ts";
import type { Reader } from "../engine/database.ts";
import { AddressReads } from "./addresses.ts";
import type { AddressDescriber } from "./addressInfo.ts";
import { BlockReads } from "./blocks.ts";
import { ContractReads } from "./contracts.ts";
import { LogReads } from "./logs.ts";
import { loadCachedOne } from "./snapshotCache.ts";
import { TransactionReads } from "./transactions.ts";

export interface StageCursor {
  readonly name: string;
  readonly version: number;
  readonly block: number;
  readonly digest: Uint8Array;
}

export class CoreReads {
  readonly db: Reader;
  readonly addressHasher: KeyedHash;
  readonly blocks: BlockReads;
  readonly transactions: TransactionReads;
  readonly logs: LogReads;
  readonly addresses: AddressReads;
  readonly contracts: ContractReads;

  constructor(db: Reader, addressHasher: KeyedHash, verified?: AddressDescriber) {
    this.db = db;
    this.addressHasher = addressHasher;
    this.blocks = new BlockReads(db);
    this.transactions = new TransactionReads(db);
    this.logs = new LogReads(db);
    this.addresses = new AddressReads(db, addressHasher, verified);
    this.contracts = new ContractReads(db);
  }

  async chainId(): Promise<number> {
    return Number(await this.meta("chain_id"));
  }

  async stages(): Promise<StageCursor[]> {
    const sql = "SELECT name, version, block, digest FROM stage ORDER BY name";
    const rows = await this.db.all<[string, number, number, Uint8Array]>(sql);
    return rows.map(([name, version, block, digest]) => ({ name, version, block, digest }));
  }

  /** Blocks from here on have a journal. */
  async oldestUnwindable(): Promise<number> {
    return Number((await this.meta("journal_from")) ?? 0);
  }

  /** Newest block shared with the node while it is on another branch; -1 if there is none. */
  async forkedAt(): Promise<number | undefined> {
    const text = await loadCachedOne(this.db, "fork", async () => (await this.meta("fork")) ?? "");
    return text === undefined || text === "" ? undefined : Number(text);
  }

  async meta(name: string): Promise<string | undefined> {
    const [row] = await this.db.all<[string]>("SELECT value FROM meta WHERE name = ?", name);
    return row?.[0];
  }
}

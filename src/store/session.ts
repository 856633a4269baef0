import type { VerifiedContracts } from "./contracts/verifiedContracts.ts";
import type { KeyedHash } from "./dictionary/keyedHash.ts";
import type { Reader, Snapshot } from "./engine/database.ts";
import { ExchangeReads } from "./exchange/exchangeReads.ts";
import { NativeReads } from "./native/nativeReads.ts";
import { AddressReads } from "./read/addresses.ts";
import { BlockReads } from "./read/blocks.ts";
import { ContractReads } from "./read/contracts.ts";
import { LogReads } from "./read/logs.ts";
import { TransactionReads } from "./read/transactions.ts";
import { ObservationReads } from "./tokens/observe/observationReads.ts";
import { TokenReads } from "./tokens/read/tokenReads.ts";
import { TraceReads } from "./traces/traceReads.ts";

/** How far a stage is. */
export interface StageCursor {
  readonly name: string;
  readonly version: number;
  /** The newest block the stage has processed. */
  readonly block: number;
  readonly digest: Uint8Array;
}

/** What can be read of an index. Unless it is a session, every read is of the newest state, and two need not agree. */
export class Reads {
  readonly db: Reader;
  /** Finds addresses and signatures in their dictionaries. */
  readonly addressHasher: KeyedHash;
  readonly blocks: BlockReads;
  readonly transactions: TransactionReads;
  readonly logs: LogReads;
  readonly addresses: AddressReads;
  readonly contracts: ContractReads;
  readonly tokens: TokenReads;
  readonly observations: ObservationReads;
  readonly exchange: ExchangeReads;
  readonly traces: TraceReads;
  readonly native: NativeReads;

  constructor(db: Reader, addressHasher: KeyedHash, verified?: VerifiedContracts) {
    this.db = db;
    this.addressHasher = addressHasher;
    this.blocks = new BlockReads(db);
    this.transactions = new TransactionReads(db);
    this.logs = new LogReads(db);
    this.addresses = new AddressReads(db, addressHasher, verified);
    this.contracts = new ContractReads(db);
    this.tokens = new TokenReads(db, addressHasher);
    this.observations = new ObservationReads(db);
    this.exchange = new ExchangeReads(db);
    this.traces = new TraceReads(db, addressHasher);
    this.native = new NativeReads(db);
  }

  async chainId(): Promise<number> {
    return Number(await this.meta("chain_id"));
  }

  async stages(): Promise<StageCursor[]> {
    const sql = "SELECT name, version, block, digest FROM stage ORDER BY name";
    const rows = await this.db.all<[string, number, number, Uint8Array]>(sql);
    return rows.map(([name, version, block, digest]) => ({ name, version, block, digest }));
  }

  /** The lowest block that can still be unwound: from it on, every block has its journal. */
  async oldestUnwindable(): Promise<number> {
    return Number((await this.meta("journal_from")) ?? 0);
  }

  /** The newest block that index and node share, where the node was last seen on another branch; -1 where they share none. */
  async forkedAt(): Promise<number | undefined> {
    const cached = this.db.snapshotCache<"fork", string>("fork");
    const text = cached.get("fork") ?? (await this.meta("fork")) ?? "";
    cached.set("fork", text);
    return text === "" ? undefined : Number(text);
  }

  async meta(name: string): Promise<string | undefined> {
    const [row] = await this.db.all<[string]>("SELECT value FROM meta WHERE name = ?", name);
    return row?.[0];
  }
}

/** Reads of one unchanging state of an index, so that a count and its list agree. It ends with the work it was made for. */
export class ReadSession extends Reads {
  /** The state as a number, as `Store.version` tells it. */
  readonly version: number;

  constructor(snapshot: Snapshot, addressHasher: KeyedHash, verified?: VerifiedContracts) {
    super(snapshot, addressHasher, verified);
    this.version = snapshot.version;
  }
}

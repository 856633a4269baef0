import type { Bytes } from "../chain/encoding/bytes.ts";
import { ChainError } from "../chain/error.ts";
import type { VerifiedContracts } from "./contracts/verifiedContracts.ts";
import type { KeyedHash } from "./dictionary/keyedHash.ts";
import type { ReadDatabase, WriterInfo } from "./engine/database.ts";
import { deliverAfter } from "./engine/delivery.ts";
import type { Pace } from "./engine/paced.ts";
import { paceReader, paceSnapshot } from "./engine/paced.ts";
import type { AddressDescriber, AddressInfo } from "./read/addressInfo.ts";
import type { Tip } from "./read/blocks.ts";
import { BlockReads } from "./read/blocks.ts";
import { DictionaryCache } from "./read/dictionaryCache.ts";
import { ReadSession, Reads } from "./session.ts";

export interface ReaderOptions {
  /** Adds verification status to address infos. */
  readonly verified?: VerifiedContracts | undefined;
  readonly turn?: Pace | undefined;
  /** URL of the database of which the one to read is a replica. */
  readonly primary?: string | undefined;
}

/** Read access to an index, from any number of processes. */
export class StoreReader {
  /** Reads outside a session, each of the newest state. */
  readonly latest: Reads;
  readonly database: ReadDatabase;
  readonly #hash: KeyedHash;
  readonly #options: ReaderOptions;
  readonly #dictionaries = new DictionaryCache();
  readonly #describer: AddressDescriber = { describe: (address, info) => this.#describe(address, info) };
  #named: AddressDescriber | undefined;

  constructor(database: ReadDatabase, hash: KeyedHash, options: ReaderOptions = {}) {
    this.database = database;
    this.#hash = hash;
    this.#options = options;
    const { turn } = options;
    this.latest = new Reads(turn === undefined ? database : paceReader(database, turn), hash, this.#describer);
  }

  /** Monotonic index version. */
  get version(): number {
    return this.database.version;
  }

  /** `work` must not keep the session nor wait for anything else. */
  read<T>(work: (session: ReadSession) => Promise<T>): Promise<T> {
    const { turn } = this.#options;
    return this.database.snapshot(async (snapshot) => {
      const paced = turn === undefined ? snapshot : paceSnapshot(snapshot, turn);
      const attached = this.#dictionaries.attach(paced);
      if (attached === undefined) return work(new ReadSession(paced, this.#hash, this.#describer));
      // The first statements of a state are sent together with those that every session of it needs.
      const session = new ReadSession(deliverAfter(paced, attached), this.#hash, this.#describer);
      // An error recurs for the caller that needs the result.
      const ready = Promise.allSettled([attached, session.preload()]);
      try {
        return await work(session);
      } finally {
        await ready;
      }
    });
  }

  /** Adds names to address infos. */
  nameWith(names: AddressDescriber): void {
    this.#named = names;
  }

  #describe(address: Bytes, info: AddressInfo): AddressInfo {
    const verified = this.#options.verified?.describe(address, info) ?? info;
    return this.#named?.describe(address, verified) ?? verified;
  }

  /** The process that writes the index; undefined if the engine does not tell. */
  writer(): Promise<WriterInfo | undefined> {
    return this.database.writer();
  }

  /** Undefined if the engine does not report it. */
  async size(): Promise<number | undefined> {
    return this.database.maintenance?.size();
  }

  /** Works during writes. Returns the newest block in the copy. */
  async backup(path: string): Promise<Tip | undefined> {
    const { maintenance } = this.database;
    if (maintenance === undefined) {
      throw new ChainError(
        "invalid_argument",
        "a PostgreSQL database is backed up with pg_dump, such as: pg_dump -Fc NAME; see docs/operations.md",
      );
    }
    return maintenance.backup(path, (snapshot) => new BlockReads(snapshot).tip());
  }

  close(): Promise<void> {
    return this.database.close();
  }
}

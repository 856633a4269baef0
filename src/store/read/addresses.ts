import type { Bytes } from "../../chain/encoding/bytes.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import type { ExactSum } from "../../std/numbers.ts";
import { addExactly } from "../../std/numbers.ts";
import { findId } from "../dictionary/dictionary.ts";
import type { KeyedHash } from "../dictionary/keyedHash.ts";
import type { Reader } from "../engine/database.ts";
import { readNumber } from "../engine/database.ts";
import type { Account } from "../rows/account.ts";
import { accountCodec, NO_ACCOUNT } from "../rows/account.ts";
import { callCountersCodec, NO_CALLS, PLAIN_GAS } from "../rows/callCounters.ts";
import type { AddressId } from "../rows/ids.ts";
import type { Ordinal, Position } from "../rows/position.ts";
import { addressTransactions } from "../tables/coreTables.ts";
import type { Entry, ListReads, SearchableList } from "../tables/list.ts";
import { addressLogs } from "../tables/logLists.ts";
import { blocksOfMiner } from "../tables/miners.ts";
import type { AddressDescriber } from "./addressInfo.ts";
import type { AddressInfos } from "./addressInfos.ts";
import { addressInfos, idsOf } from "./addressInfos.ts";

export class AddressReads {
  readonly #db: Reader;
  readonly #hash: KeyedHash;
  readonly #verified: AddressDescriber | undefined;
  readonly #transactions: ListReads<"address id">;
  readonly #logs: ListReads<"address id">;

  constructor(db: Reader, hash: KeyedHash, verified?: AddressDescriber) {
    this.#db = db;
    this.#hash = hash;
    this.#verified = verified;
    this.#transactions = addressTransactions(db);
    this.#logs = addressLogs(db);
  }

  /** Undefined if the address is unknown. Lists are keyed by id. */
  async id(address: Bytes): Promise<AddressId | undefined> {
    return findId(this.#db, "address", this.#hash, address);
  }

  /** Addresses, then miners and traced parties, in order of appearance. */
  async some(limit: number): Promise<Bytes[]> {
    const seen = new Map<string, Bytes>();
    for (const table of ["address", "miner", "trace_address"]) {
      const rows = await this.#db.all<[Bytes]>(`SELECT value FROM ${table} ORDER BY id LIMIT ?`, limit);
      for (const [value] of rows) if (!seen.has(toHex(value))) seen.set(toHex(value), value);
    }
    return [...seen.values()].slice(0, limit);
  }

  /** Keyed by identity of the requested arrays. */
  ids(addresses: readonly Bytes[]): Promise<Map<Bytes, number>> {
    return idsOf(this.#db, this.#hash, addresses);
  }

  /** Includes verification status. */
  infos(addresses: readonly Bytes[]): Promise<AddressInfos> {
    return addressInfos(this.#db, this.#hash, addresses, this.#verified);
  }

  transactions(id: AddressId): SearchableList {
    return this.#transactions.of(id);
  }

  async transactionCounts(addresses: readonly Bytes[]): Promise<number[]> {
    const ids = await this.ids(addresses);
    const counts = await this.#transactions.countEach([...ids.values()]);
    return addresses.map((address) => counts.get(ids.get(address) ?? 0) ?? 0);
  }

  emitted(id: AddressId): SearchableList {
    return this.#logs.of(id);
  }

  /** By miner field. */
  mined(address: Bytes): Promise<SearchableList> {
    return blocksOfMiner(this.#db, this.#hash, address);
  }

  logs(id: AddressId, from: Ordinal, to: Ordinal): Promise<Entry[]> {
    return this.#logs.slice(id, from, to);
  }

  async creation(id: AddressId): Promise<Position | undefined> {
    const [row] = await this.#db.all<[number]>(
      "SELECT position FROM contract WHERE address = ? ORDER BY position LIMIT 1",
      id,
    );
    return row?.[0];
  }

  /** Missing if not deployed by a transaction. */
  async creations(ids: readonly AddressId[]): Promise<Map<AddressId, Position>> {
    const sql = "SELECT address, min(position) FROM contract WHERE address IN ($keys) GROUP BY address";
    return new Map(await this.#db.load<[number, number]>(sql, ids));
  }

  /** Plain payments are not counted individually; the rest follows from the list length. */
  async receivedGas(id: AddressId): Promise<ExactSum> {
    const [row] = await this.#db.all<[Bytes]>("SELECT value FROM called WHERE id = ?", id);
    const { calls, gasUsed } = row === undefined ? NO_CALLS : callCountersCodec.read(row[0]);
    const created = await readNumber(this.#db, "SELECT count(*) FROM contract WHERE address = ?", id);
    const { sent } = await this.account(id);
    const plain = (await this.transactions(id).count()) - sent - calls - created;
    return addExactly(gasUsed, plain * PLAIN_GAS);
  }

  async account(id: AddressId): Promise<Account> {
    const [row] = await this.#db.all<[Bytes]>("SELECT value FROM account WHERE id = ?", id);
    return row === undefined ? NO_ACCOUNT : accountCodec.read(row[0]);
  }
}

import type { Bytes } from "../../chain/encoding/bytes.ts";
import { EMPTY, equalBytes } from "../../chain/encoding/bytes.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import type { ExactSum } from "../../std/numbers.ts";
import { addExactly } from "../../std/numbers.ts";
import { valuesByKey } from "../dictionary/findValues.ts";
import type { KeyedHash } from "../dictionary/keyedHash.ts";
import type { Reader } from "../engine/database.ts";
import { inDialect, readNumber } from "../engine/database.ts";
import { soughtKeys } from "../keys/findKeys.ts";
import type { Account } from "../rows/account.ts";
import { accountCodec, NO_ACCOUNT } from "../rows/account.ts";
import { callCountersCodec, NO_CALLS, PLAIN_GAS } from "../rows/callCounters.ts";
import { asBytes } from "../rows/encoding.ts";
import type { AddressId } from "../rows/ids.ts";
import type { Ordinal, Position } from "../rows/position.ts";
import { readActiveDays } from "../tables/activeDays.ts";
import { addressTransactions } from "../tables/coreTables.ts";
import type { ListReads, SearchableList } from "../tables/list.ts";
import type { Entry } from "../tables/listRuns.ts";
import { addressLogs } from "../tables/logLists.ts";
import { blocksOfMiner } from "../tables/miners.ts";
import type { AddressDescriber } from "./addressInfo.ts";
import type { AddressInfos } from "./addressInfos.ts";
import { addressInfos, idOf, idsOf } from "./addressInfos.ts";

const CREATION = inDialect(
  (dialect) =>
    `SELECT v.value, (SELECT min(c.position) FROM contract c WHERE c.address = v.id) FROM ${valuesByKey("address", dialect)}`,
);

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
    return idOf(this.#db, this.#hash, address);
  }

  /** Addresses, then miners and traced parties, in order of appearance. */
  async some(limit: number): Promise<Bytes[]> {
    const seen = new Map<string, Bytes>();
    const tables = ["address", "miner", "trace_address"].map((table) =>
      this.#db.all<[Bytes]>(`SELECT value FROM ${table} ORDER BY id LIMIT ?`, limit),
    );
    for (const [value] of (await Promise.all(tables)).flat()) {
      if (!seen.has(toHex(value))) seen.set(toHex(value), value);
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

  /** The same by the address. */
  transactionsOf(address: Bytes): Promise<SearchableList> {
    return this.#transactions.find("address", this.#hash, address);
  }

  /** Number of transactions and logs of an address. */
  async countsOf(address: Bytes): Promise<{ readonly transactions: number; readonly logs: number }> {
    const [transactions, logs] = await Promise.all([
      this.#transactions.countOf("address", this.#hash, address),
      this.#logs.countOf("address", this.#hash, address),
    ]);
    return { transactions, logs };
  }

  /** The same for each of several addresses, in their order. */
  async transactionCounts(addresses: readonly Bytes[]): Promise<number[]> {
    const ids = await this.ids(addresses);
    const counts = await this.#transactions.countEach([...ids.values()]);
    return addresses.map((address) => counts.get(ids.get(address) ?? 0) ?? 0);
  }

  /** How many took part in transactions of each UTC day [from, to) that has blocks. */
  activeByDay(from: number, to: number): Promise<Map<number, number>> {
    return readActiveDays(this.#db, from, to);
  }

  emitted(id: AddressId): SearchableList {
    return this.#logs.of(id);
  }

  /** The same by the address. */
  emittedBy(address: Bytes): Promise<SearchableList> {
    return this.#logs.find("address", this.#hash, address);
  }

  /** The blocks whose headers name an address as their miner. */
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

  /** The same by the address. */
  async creationOf(address: Bytes): Promise<Position | undefined> {
    const rows = await this.#db.loadPairs<[Bytes, number | null]>(
      CREATION(this.#db),
      soughtKeys([this.#hash.key(address)]),
    );
    return rows.find(([value]) => equalBytes(asBytes(value), address))?.[1] ?? undefined;
  }

  /** The same of some addresses; those that no transaction deployed are absent. */
  async creations(ids: readonly AddressId[]): Promise<Map<AddressId, Position>> {
    const sql = "SELECT address, min(position) FROM contract WHERE address IN ($keys) GROUP BY address";
    return new Map(await this.#db.load<[number, number]>(sql, ids));
  }

  /** Plain payments are not counted individually; the rest follows from the list length. */
  async receivedGas(id: AddressId): Promise<ExactSum> {
    const [[row], created] = await Promise.all([
      this.#db.all<[number, Bytes, Bytes]>("SELECT count, sent, called FROM address_tx_tail WHERE owner = ?", id),
      readNumber(this.#db, "SELECT count(*) FROM contract WHERE address = ?", id),
    ]);
    const [transactions, ofSent, ofCalls] = row ?? [0, EMPTY, EMPTY];
    const { sent } = readAccount(ofSent);
    const { calls, gasUsed } = ofCalls.length === 0 ? NO_CALLS : callCountersCodec.read(ofCalls);
    return addExactly(gasUsed, (transactions - sent - calls - created) * PLAIN_GAS);
  }

  async account(id: AddressId): Promise<Account> {
    const [row] = await this.#db.all<[Bytes]>("SELECT sent FROM address_tx_tail WHERE owner = ?", id);
    return readAccount(row?.[0] ?? EMPTY);
  }
}

const readAccount = (sent: Bytes): Account => (sent.length === 0 ? NO_ACCOUNT : accountCodec.read(sent));

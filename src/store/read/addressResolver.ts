import type { Bytes } from "../../chain/encoding/bytes.ts";
import { copyInto } from "../../chain/encoding/bytes.ts";
import { ChainError } from "../../chain/error.ts";
import type { LruCache } from "../../std/lruCache.ts";
import { Slab } from "../../std/slab.ts";
import type { Connection } from "../engine/engine.ts";
import { inDialect } from "../engine/engine.ts";
import { fillFromDigits } from "../rows/encoding.ts";
import type { AddressInfo, InfoColumns } from "./addressInfo.ts";
import { readAddressInfo, selectAddressInfo } from "./addressInfo.ts";
import { FlatCache } from "./flatCache.ts";

/** Bytes that get a value when it is found. */
interface Unfilled {
  readonly value: Bytes;
  readonly target: Bytes;
  readonly at: number;
}

/** The ids of addresses, by the very bytes that resolvers have answered for this state of the database. */
export function resolvedIds(connection: Connection): LruCache<Bytes, number> {
  return connection.snapshotCache("address id");
}

const ADDRESSES = inDialect(({ digits }) => `SELECT id, ${digits("value")} FROM address WHERE id IN ($keys)`);
const ADDRESSES_WITH_INFO = inDialect(({ digits }) => selectAddressInfo("a.id", digits("a.value")));
const SIGNATURES = inDialect(({ digits }) => `SELECT id, ${digits("value")} FROM signature WHERE id IN ($keys)`);

/**
 * Turns ids back into addresses and signatures. Decoding goes on with bytes that are unresolved; `load` fills in all of them
 * with one query for each dictionary.
 */
export class AddressResolver {
  readonly #connection: Connection;
  readonly #ids: LruCache<Bytes, number>;
  readonly #infos: LruCache<number, AddressInfo> | undefined;
  /** For what is decoded with its ids. */
  readonly slab = new Slab();
  readonly #addresses: Dictionary;
  readonly #signatures: Dictionary;

  /** With `infos` the same query reads what is known of its addresses, for a caller that needs that next. */
  constructor(connection: Connection, options: { readonly infos?: boolean } = {}) {
    this.#connection = connection;
    this.#ids = resolvedIds(connection);
    this.#infos = options.infos ? connection.snapshotCache("address info") : undefined;
    this.#addresses = new Dictionary(connection, "address", 20, this.slab);
    this.#signatures = new Dictionary(connection, "signature", 32, this.slab);
  }

  /** Bytes that will hold the address once the resolver is loaded. Others have the same. */
  address(id: number): Bytes {
    return this.#addresses.value(id);
  }

  fillAddress(target: Bytes, at: number, id: number): void {
    this.#addresses.fill(id, target, at);
  }

  fillSignature(target: Bytes, id: number): void {
    this.#signatures.fill(id, target, 0);
  }

  async load(): Promise<void> {
    await this.#addresses.load(
      (ids) => this.#findAddresses(ids),
      (address, id) => this.#ids.set(address, id),
    );
    await this.#signatures.load((ids) => this.#connection.load<DictionaryRow>(SIGNATURES(this.#connection), ids));
  }

  async #findAddresses(ids: number[]): Promise<readonly DictionaryRow[]> {
    const infos = this.#infos;
    if (infos === undefined) return this.#connection.load<DictionaryRow>(ADDRESSES(this.#connection), ids);
    const sql = ADDRESSES_WITH_INFO(this.#connection);
    const rows = await this.#connection.load<[number, string, ...InfoColumns]>(sql, ids);
    return rows.map(([id, digits, ...columns]) => {
      infos.set(id, readAddressInfo(columns));
      return [id, digits];
    });
  }
}

type DictionaryRow = [id: number, digits: string];

/** The values of a dictionary by their ids: those that are known of this state of the database, and those to be found. */
class Dictionary {
  readonly #name: "address" | "signature";
  readonly #size: number;
  readonly #known: FlatCache;
  readonly #shared: LruCache<number, Bytes>;
  readonly #slab: Slab;
  /** Of those to be found: their values, and the bytes that share them. */
  readonly #missing = new Map<number, Bytes>();
  readonly #sharing = new Map<number, Bytes>();
  #unfilled: Unfilled[] = [];

  constructor(connection: Connection, name: "address" | "signature", size: number, slab: Slab) {
    this.#name = name;
    this.#size = size;
    this.#known = FlatCache.of(connection, name, size);
    this.#shared = connection.snapshotCache(name);
    this.#slab = slab;
  }

  /** Bytes that hold the value for all who ask for it, when it is loaded. */
  value(id: number): Bytes {
    const shared = this.#shared.get(id) ?? this.#sharing.get(id);
    if (shared !== undefined) return shared;
    const value = new Uint8Array(this.#size);
    this.#sharing.set(id, value);
    if (!this.#missing.has(id)) this.#missing.set(id, value);
    return value;
  }

  /** Copies the value to a place of other bytes: now, or when it is loaded. */
  fill(id: number, target: Bytes, at: number): void {
    if (this.#known.copy(id, target, at)) return;
    let value = this.#missing.get(id);
    if (value === undefined) {
      value = this.#slab.take(this.#size);
      this.#missing.set(id, value);
    }
    this.#unfilled.push({ value, target, at });
  }

  async load(
    find: (ids: number[]) => Promise<readonly DictionaryRow[]>,
    onShared?: (value: Bytes, id: number) => void,
  ): Promise<void> {
    const missing = this.#missing;
    if (missing.size === 0) return;
    for (const [id, digits] of await find([...missing.keys()])) {
      const value = missing.get(id);
      if (value === undefined) continue;
      missing.delete(id);
      if (digits.length !== 2 * this.#size) throw this.#corrupt(id, "has another size");
      fillFromDigits(value, digits);
      this.#known.set(id, value);
      const shared = this.#sharing.get(id);
      if (shared === undefined) continue;
      if (shared !== value) copyInto(shared, value, 0);
      this.#shared.set(id, shared);
      onShared?.(shared, id);
    }
    for (const id of missing.keys()) throw this.#corrupt(id, "is not in its dictionary");
    for (const { value, target, at } of this.#unfilled) copyInto(target, value, at);
    this.#unfilled = [];
    this.#sharing.clear();
  }

  #corrupt(id: number, what: string): ChainError {
    return new ChainError("store_corrupt", `${this.#name} ${id} ${what}`);
  }
}

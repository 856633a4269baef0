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
  readonly #addresses: Dictionary;
  readonly #signatures: Dictionary;
  readonly #ids: LruCache<Bytes, number>;
  readonly #infos: LruCache<number, AddressInfo> | undefined;
  #unfilled: Unfilled[] = [];
  /** What is decoded beside may have its bytes here, too. */
  readonly slab = new Slab();

  /** With `infos` the same query reads what is known of its addresses, for a caller that needs that next. */
  constructor(connection: Connection, options: { readonly infos?: boolean } = {}) {
    this.#connection = connection;
    this.#addresses = new Dictionary(connection, "address", 20);
    this.#signatures = new Dictionary(connection, "signature", 32);
    this.#ids = resolvedIds(connection);
    this.#infos = options.infos ? connection.snapshotCache("address info") : undefined;
  }

  /** Bytes that will hold the address once the resolver is loaded. */
  address(id: number): Bytes {
    return this.#addresses.value(id);
  }

  fillAddress(target: Bytes, at: number, id: number): void {
    this.#fill(this.#addresses, id, target, at);
  }

  fillSignature(target: Bytes, id: number): void {
    this.#fill(this.#signatures, id, target, 0);
  }

  #fill(dictionary: Dictionary, id: number, target: Bytes, at: number): void {
    const value = dictionary.value(id);
    if (dictionary.isMissing(id)) this.#unfilled.push({ value, target, at });
    else copyInto(target, value, at);
  }

  async load(): Promise<void> {
    await this.#addresses.load(
      (ids) => this.#findAddresses(ids),
      (address, id) => this.#ids.set(address, id),
    );
    await this.#signatures.load((ids) => this.#connection.load<DictionaryRow>(SIGNATURES(this.#connection), ids));
    for (const { value, target, at } of this.#unfilled) copyInto(target, value, at);
    this.#unfilled = [];
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

/** The values of a dictionary by their ids: those that the snapshot has cached, and those that are to be found. */
class Dictionary {
  readonly #name: "address" | "signature";
  readonly #size: number;
  readonly #cached: LruCache<number, Bytes>;
  #missing = new Map<number, Bytes>();

  constructor(connection: Connection, name: "address" | "signature", size: number) {
    this.#name = name;
    this.#size = size;
    this.#cached = connection.snapshotCache(name);
  }

  /** Bytes that hold the value, or will when it is loaded. */
  value(id: number): Bytes {
    const known = this.#cached.get(id) ?? this.#missing.get(id);
    if (known !== undefined) return known;
    const value = new Uint8Array(this.#size);
    this.#missing.set(id, value);
    return value;
  }

  isMissing(id: number): boolean {
    return this.#missing.has(id);
  }

  async load(find: (ids: number[]) => Promise<readonly DictionaryRow[]>, onFound?: (value: Bytes, id: number) => void) {
    const missing = this.#missing;
    if (missing.size === 0) return;
    for (const [id, digits] of await find([...missing.keys()])) {
      const value = missing.get(id);
      if (value === undefined) continue;
      if (digits.length !== 2 * this.#size) throw this.#corrupt(id, "has another size");
      fillFromDigits(value, digits);
      missing.delete(id);
      this.#cached.set(id, value);
      onFound?.(value, id);
    }
    for (const id of missing.keys()) throw this.#corrupt(id, "is not in its dictionary");
  }

  #corrupt(id: number, what: string): ChainError {
    return new ChainError("store_corrupt", `${this.#name} ${id} ${what}`);
  }
}

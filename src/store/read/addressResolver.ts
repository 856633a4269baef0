import type { Bytes } from "../../chain/encoding/bytes.ts";
import { ChainError } from "../../chain/error.ts";
import type { LruCache } from "../../std/lruCache.ts";
import type { Connection } from "../engine/engine.ts";
import { inDialect } from "../engine/engine.ts";
import { fromDigits } from "../rows/encoding.ts";
import type { AddressInfo, InfoColumns } from "./addressInfo.ts";
import { readAddressInfo, selectAddressInfo } from "./addressInfo.ts";
import { loadCached } from "./snapshotCache.ts";

interface Unresolved {
  readonly id: number;
  readonly target: Bytes;
  readonly at: number;
}

/** The ids of addresses, by the very bytes that resolvers have answered for this state of the database. */
export function resolvedIds(connection: Connection): LruCache<Bytes, number> {
  return connection.snapshotCache("address id");
}

/** Of the values, in bytes. */
const SIZES = { address: 20, signature: 32 } as const;

const ADDRESSES = inDialect(({ digits }) => `SELECT id, ${digits("value")} FROM address WHERE id IN ($keys)`);
const ADDRESSES_WITH_INFO = inDialect(({ digits }) => selectAddressInfo("a.id", digits("a.value")));
const SIGNATURES = inDialect(({ digits }) => `SELECT id, ${digits("value")} FROM signature WHERE id IN ($keys)`);

/**
 * Turns ids back into addresses and signatures. Decoding goes on with bytes that are unresolved; `load` fills in all of them
 * with one query for each dictionary.
 */
export class AddressResolver {
  readonly #connection: Connection;
  readonly #cached: LruCache<number, Bytes>;
  readonly #ids: LruCache<Bytes, number>;
  readonly #infos: LruCache<number, AddressInfo> | undefined;
  readonly #addresses = new Map<number, Bytes>();
  #unresolvedAddresses: Unresolved[] = [];
  #unresolvedSignatures: Unresolved[] = [];

  /** With `infos` the same query reads what is known of its addresses, for a caller that needs that next. */
  constructor(connection: Connection, options: { readonly infos?: boolean } = {}) {
    this.#connection = connection;
    this.#cached = connection.snapshotCache("address");
    this.#ids = resolvedIds(connection);
    this.#infos = options.infos ? connection.snapshotCache("address info") : undefined;
  }

  /** Bytes that will hold the address once the resolver is loaded. */
  address(id: number): Bytes {
    const known = this.#cached.get(id) ?? this.#addresses.get(id);
    if (known !== undefined) return known;
    const target = new Uint8Array(20);
    this.#addresses.set(id, target);
    this.#unresolvedAddresses.push({ id, target, at: 0 });
    return target;
  }

  fillAddress(target: Bytes, at: number, id: number): void {
    this.#unresolvedAddresses.push({ id, target, at });
  }

  fillSignature(target: Bytes, id: number): void {
    this.#unresolvedSignatures.push({ id, target, at: 0 });
  }

  async load(): Promise<void> {
    await this.#fill("address", this.#unresolvedAddresses, (missing) => this.#findAddresses(missing));
    await this.#fill("signature", this.#unresolvedSignatures, (missing) => this.#findSignatures(missing));
    this.#unresolvedAddresses = [];
    this.#unresolvedSignatures = [];
  }

  async #fill(
    name: keyof typeof SIZES,
    unresolved: readonly Unresolved[],
    find: (ids: number[]) => Promise<[number, Bytes][]>,
  ): Promise<void> {
    if (unresolved.length === 0) return;
    const values = await loadCached(this.#connection, name, new Set(unresolved.map(({ id }) => id)), find);
    for (const { id, target, at } of unresolved) {
      const value = values.get(id);
      if (value === undefined) throw new ChainError("store_corrupt", `${name} ${id} is not in its dictionary`);
      if (value.length !== SIZES[name]) throw new ChainError("store_corrupt", `${name} ${id} has another size`);
      target.set(value, at);
    }
  }

  async #findAddresses(ids: number[]): Promise<[number, Bytes][]> {
    const infos = this.#infos;
    if (infos === undefined) {
      const rows = await this.#connection.load<[number, string]>(ADDRESSES(this.#connection), ids);
      return rows.map(([id, digits]) => [id, this.#found(id, digits)]);
    }
    const sql = ADDRESSES_WITH_INFO(this.#connection);
    const rows = await this.#connection.load<[number, string, ...InfoColumns]>(sql, ids);
    return rows.map(([id, digits, ...columns]) => {
      infos.set(id, readAddressInfo(columns));
      return [id, this.#found(id, digits)];
    });
  }

  #found(id: number, digits: string): Bytes {
    const found = fromDigits(digits);
    if (found.length !== SIZES.address) throw new ChainError("store_corrupt", `address ${id} has another size`);
    const address = this.#addresses.get(id) ?? found;
    if (address !== found) address.set(found);
    this.#ids.set(address, id);
    return address;
  }

  async #findSignatures(ids: number[]): Promise<[number, Bytes][]> {
    const rows = await this.#connection.load<[number, string]>(SIGNATURES(this.#connection), ids);
    return rows.map(([id, digits]) => [id, fromDigits(digits)]);
  }
}

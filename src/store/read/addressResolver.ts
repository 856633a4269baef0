import type { Bytes } from "../../chain/encoding/bytes.ts";
import { EMPTY } from "../../chain/encoding/bytes.ts";
import type { Hex } from "../../chain/encoding/hex.ts";
import { toHex } from "../../chain/encoding/hex.ts";
import { Slab } from "../../std/bytes.ts";
import type { LruCache } from "../../std/maps.ts";
import type { Reader } from "../engine/database.ts";
import { inDialect } from "../engine/database.ts";
import { corrupt, fillFromDigits } from "../rows/encoding.ts";
import type { IdResolver } from "../rows/ids.ts";
import type { AddressInfo, InfoColumns } from "./addressInfo.ts";
import { readAddressInfo, selectAddressInfo } from "./addressInfo.ts";
import type { CachedDictionary } from "./dictionaryCache.ts";
import { VALUE_SIZES, valuesOf } from "./dictionaryCache.ts";
import type { FlatCache } from "./flatCache.ts";

/** Ids by identity of arrays that resolvers returned in this state. */
export function resolvedIds(db: Reader): LruCache<Bytes, number> {
  return db.snapshotCache("address id");
}

/** Cache of ids by address. */
export const IDS_BY_ADDRESS = "id of address";

const ADDRESS_SIZE = VALUE_SIZES.address;

const INFOS = selectAddressInfo("a.id");
const ADDRESSES_WITH_INFO = inDialect(({ digits }) => selectAddressInfo("a.id", digits("a.value")));
const VALUES = {
  address: inDialect(({ joinValues }) => joinValues("address")),
  signature: inDialect(({ joinValues }) => joinValues("signature")),
};

/**
 * Resolves ids to addresses and signatures. Decoding proceeds with placeholder bytes; `load` fills all of them with one
 * query per dictionary.
 */
export class AddressResolver implements IdResolver {
  readonly #db: Reader;
  readonly #ids: LruCache<Bytes, number>;
  readonly #infos: LruCache<number, AddressInfo> | undefined;
  readonly slab = new Slab();
  /** Ids of addresses of which nothing else is known yet. */
  readonly #withoutInfo = new Set<number>();
  /** Copies of addresses, whose ids are then known. */
  readonly #copies: { readonly id: number; readonly target: Bytes; readonly at: number }[] = [];
  readonly #addresses: Dictionary;
  readonly #signatures: Dictionary;

  /** `infos` reads address infos in the same query. */
  constructor(db: Reader, options: { readonly infos?: boolean } = {}) {
    this.#db = db;
    this.#ids = resolvedIds(db);
    this.#infos = options.infos ? db.snapshotCache("address info") : undefined;
    this.#addresses = new Dictionary(db, "address");
    this.#signatures = new Dictionary(db, "signature");
  }

  /** For values whose infos nobody may ask for. */
  withoutInfos(): IdResolver {
    return {
      slab: this.slab,
      address: (id) => this.#addresses.value(id),
      fillAddress: (target, at, id) => this.#copyAddress(target, at, id),
      fillSignature: (target, at, id) => this.#signatures.fill(id, target, at),
    };
  }

  /** Shared bytes, filled when the resolver is loaded. */
  address(id: number): Bytes {
    this.#noteInfo(id);
    return this.#addresses.value(id);
  }

  fillAddress(target: Bytes, at: number, id: number): void {
    this.#noteInfo(id);
    this.#copyAddress(target, at, id);
  }

  #copyAddress(target: Bytes, at: number, id: number): void {
    this.#addresses.fill(id, target, at);
    if (this.#infos !== undefined) this.#copies.push({ id, target, at });
  }

  fillSignature(target: Bytes, at: number, id: number): void {
    this.#signatures.fill(id, target, at);
  }

  async load(): Promise<void> {
    const infos = this.#infos;
    const isJoined = infos !== undefined && this.#addresses.missing.every((id) => this.#withoutInfo.has(id));
    const withoutInfo = [...this.#withoutInfo].filter((id) => !isJoined || !this.#addresses.isMissing(id));
    this.#withoutInfo.clear();
    await Promise.all([
      infos && this.#loadInfos(withoutInfo, infos),
      this.#addresses.load(isJoined ? (ids) => this.#findWithInfos(ids, infos) : undefined, (address, id) =>
        this.#ids.set(address, id),
      ),
      this.#signatures.load(),
    ]);
    const ids = this.#db.snapshotCache<Hex, number>(IDS_BY_ADDRESS);
    for (const { id, target, at } of this.#copies) ids.set(toHex(target.subarray(at, at + ADDRESS_SIZE)), id);
    this.#copies.length = 0;
  }

  #noteInfo(id: number): void {
    if (this.#infos !== undefined && this.#infos.get(id) === undefined) this.#withoutInfo.add(id);
  }

  async #loadInfos(ids: readonly number[], infos: LruCache<number, AddressInfo>): Promise<void> {
    const rows = await this.#db.load<[number, ...InfoColumns]>(INFOS, ids);
    for (const [id, ...columns] of rows) infos.set(id, readAddressInfo(columns));
  }

  async #findWithInfos(ids: IdOrder, infos: LruCache<number, AddressInfo>): Promise<Bytes> {
    const sql = ADDRESSES_WITH_INFO(this.#db);
    const rows = await this.#db.load<[number, string, ...InfoColumns]>(sql, [...ids.keys()]);
    const values = new Uint8Array(ids.size * ADDRESS_SIZE);
    let found = 0;
    for (const [id, digits, ...columns] of rows) {
      const order = ids.get(id);
      if (order === undefined || digits.length !== 2 * ADDRESS_SIZE) continue;
      fillFromDigits(values, order * ADDRESS_SIZE, digits);
      infos.set(id, readAddressInfo(columns));
      found++;
    }
    return found === ids.size ? values : EMPTY;
  }
}

type IdOrder = ReadonlyMap<number, number>;

/** Values by id: cached for this state, and to be looked up. */
class Dictionary {
  readonly #db: Reader;
  readonly #name: CachedDictionary;
  readonly #size: number;
  #values: FlatCache | undefined;
  readonly #shared: LruCache<number, Bytes>;
  readonly #missing = new Map<number, number>();
  readonly #sharing = new Map<number, Bytes>();
  readonly #unfilled: { readonly order: number; readonly target: Bytes; readonly at: number }[] = [];

  constructor(db: Reader, name: CachedDictionary) {
    this.#db = db;
    this.#name = name;
    this.#size = VALUE_SIZES[name];
    this.#shared = db.snapshotCache(name);
  }

  /** Found late: a snapshot is attached to a dictionary's values while its first statement runs. */
  get #known(): FlatCache {
    this.#values ??= valuesOf(this.#db, this.#name);
    return this.#values;
  }

  /** Bytes that hold the value for all who ask for it, when it is loaded. */
  value(id: number): Bytes {
    const shared = this.#shared.get(id) ?? this.#sharing.get(id);
    if (shared !== undefined) return shared;
    const value = new Uint8Array(this.#size);
    this.#sharing.set(id, value);
    this.#miss(id);
    return value;
  }

  /** Copies the value now or when it is loaded. */
  fill(id: number, target: Bytes, at: number): void {
    if (!this.#known.copy(id, target, at)) this.#unfilled.push({ order: this.#miss(id), target, at });
  }

  get missing(): number[] {
    return [...this.#missing.keys()];
  }

  isMissing(id: number): boolean {
    return this.#missing.has(id);
  }

  /** Answers the place of a value among those to be found. */
  #miss(id: number): number {
    const known = this.#missing.get(id);
    if (known !== undefined) return known;
    const order = this.#missing.size;
    this.#missing.set(id, order);
    return order;
  }

  /** `find` returns concatenated values in id order. */
  async load(find = (ids: IdOrder) => this.#find(ids), onShared?: (value: Bytes, id: number) => void): Promise<void> {
    if (this.#missing.size === 0) return;
    const size = this.#size;
    const values = await find(this.#missing);
    if (values.length !== this.#missing.size * size) {
      throw corrupt(`a stored ${this.#name} is not in its dictionary, or has another size`);
    }
    for (const [id, order] of this.#missing) this.#known.set(id, values, order * size);
    for (const [id, shared] of this.#sharing) {
      copyRange(values, this.#missing.get(id)! * size, shared, 0, size);
      this.#shared.set(id, shared);
      onShared?.(shared, id);
    }
    for (const { order, target, at } of this.#unfilled) copyRange(values, order * size, target, at, size);
    this.#missing.clear();
    this.#sharing.clear();
    this.#unfilled.length = 0;
  }

  async #find(ids: IdOrder): Promise<Bytes> {
    const sql = VALUES[this.#name](this.#db);
    const [row] = await this.#db.all<[Bytes | null]>(sql, JSON.stringify([...ids.keys()]), this.#size);
    return row?.[0] ?? EMPTY;
  }
}

function copyRange(source: Bytes, from: number, target: Bytes, at: number, length: number): void {
  for (let i = 0; i < length; i++) target[at + i] = source[from + i]!;
}

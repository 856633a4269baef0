import type { Bytes } from "../../chain/encoding/bytes.ts";
import { ChainError } from "../../chain/error.ts";
import type { Recent } from "../../std/recent.ts";
import type { Connection } from "../engine/engine.ts";
import { inDialect } from "../engine/engine.ts";
import { fromDigits } from "../rows/encoding.ts";
import type { AccountKind } from "./addressInfo.ts";
import { readKind, selectKinds } from "./addressInfo.ts";
import { recallAll } from "./snapshotCache.ts";

interface Gap {
  readonly id: number;
  readonly target: Bytes;
  readonly at: number;
}

/** The ids of addresses by the very bytes that books have handed out: true in the state of the database that they were read from. */
export function idsHandedOut(connection: Connection): Recent<Bytes, number> {
  return connection.recall("address id");
}

/** Of the values, in bytes. */
const SIZES = { address: 20, signature: 32 } as const;

const ADDRESSES = inDialect(({ digits }) => `SELECT id, ${digits("value")} FROM address WHERE id IN ($keys)`);
const ADDRESSES_WITH_KINDS = inDialect(({ digits }) => selectKinds("a.id", digits("a.value")));
const SIGNATURES = inDialect(({ digits }) => `SELECT id, ${digits("value")} FROM signature WHERE id IN ($keys)`);

/**
 * Turns ids back into addresses and signatures. Decoding leaves gaps and goes on; `load` fills all of them with one
 * query for each dictionary.
 */
export class AddressBook {
  readonly #connection: Connection;
  readonly #recalled: Recent<number, Bytes>;
  readonly #ids: Recent<Bytes, number>;
  readonly #kinds: Recent<number, AccountKind> | undefined;
  readonly #addresses = new Map<number, Bytes>();
  #addressGaps: Gap[] = [];
  #signatureGaps: Gap[] = [];

  /** With `kinds` it asks in the same query what its addresses are, for who will ask for their kinds. */
  constructor(connection: Connection, options: { readonly kinds?: boolean } = {}) {
    this.#connection = connection;
    this.#recalled = connection.recall("address");
    this.#ids = idsHandedOut(connection);
    this.#kinds = options.kinds ? connection.recall("kind") : undefined;
  }

  /** Bytes that will hold the address once the book is loaded. */
  address(id: number): Bytes {
    const known = this.#recalled.get(id) ?? this.#addresses.get(id);
    if (known !== undefined) return known;
    const target = new Uint8Array(20);
    this.#addresses.set(id, target);
    this.#addressGaps.push({ id, target, at: 0 });
    return target;
  }

  fillAddress(target: Bytes, at: number, id: number): void {
    this.#addressGaps.push({ id, target, at });
  }

  fillSignature(target: Bytes, id: number): void {
    this.#signatureGaps.push({ id, target, at: 0 });
  }

  async load(): Promise<void> {
    await this.#fill("address", this.#addressGaps, (missing) => this.#findAddresses(missing));
    await this.#fill("signature", this.#signatureGaps, (missing) => this.#findSignatures(missing));
    this.#addressGaps = [];
    this.#signatureGaps = [];
  }

  async #fill(
    name: keyof typeof SIZES,
    gaps: readonly Gap[],
    find: (ids: number[]) => Promise<[number, Bytes][]>,
  ): Promise<void> {
    if (gaps.length === 0) return;
    const values = await recallAll(this.#connection, name, new Set(gaps.map((gap) => gap.id)), find);
    for (const { id, target, at } of gaps) {
      const value = values.get(id);
      if (value === undefined) throw new ChainError("store_corrupt", `${name} ${id} is not in its dictionary`);
      if (value.length !== SIZES[name]) throw new ChainError("store_corrupt", `${name} ${id} has another size`);
      target.set(value, at);
    }
  }

  async #findAddresses(ids: number[]): Promise<[number, Bytes][]> {
    const sql = this.#kinds === undefined ? ADDRESSES : ADDRESSES_WITH_KINDS;
    const rows = await this.#connection.load(sql(this.#connection), ids);
    return rows.map((row) => {
      const id = row[0] as number;
      const found = fromDigits(row[1] as string);
      if (found.length !== SIZES.address) throw new ChainError("store_corrupt", `address ${id} has another size`);
      const address = this.#addresses.get(id) ?? found;
      if (address !== found) address.set(found);
      this.#ids.set(address, id);
      this.#kinds?.set(id, readKind(row));
      return [id, address];
    });
  }

  async #findSignatures(ids: number[]): Promise<[number, Bytes][]> {
    const rows = await this.#connection.load(SIGNATURES(this.#connection), ids);
    return rows.map(([id, digits]) => [id as number, fromDigits(digits as string)]);
  }
}

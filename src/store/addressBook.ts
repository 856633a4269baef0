import type { Bytes } from "../chain/bytes.ts";
import { ChainError } from "../chain/error.ts";
import type { Recent } from "../chain/recent.ts";
import type { Engine } from "./engine/engine.ts";
import { recallAll } from "./recall.ts";

interface Gap {
  readonly id: number;
  readonly target: Bytes;
  readonly at: number;
}

/**
 * Turns ids back into addresses and signatures. Decoding leaves gaps and goes on; `load` fills all of them with one
 * query for each dictionary.
 */
export class AddressBook {
  readonly #engine: Engine;
  readonly #recalled: Recent<number, Bytes>;
  readonly #addresses = new Map<number, Bytes>();
  #addressGaps: Gap[] = [];
  #signatureGaps: Gap[] = [];

  constructor(engine: Engine) {
    this.#engine = engine;
    this.#recalled = engine.recall("address");
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
    await this.#fill("address", this.#addressGaps);
    await this.#fill("signature", this.#signatureGaps);
    this.#addressGaps = [];
    this.#signatureGaps = [];
  }

  async #fill(table: string, gaps: readonly Gap[]): Promise<void> {
    if (gaps.length === 0) return;
    const ids = new Set(gaps.map((gap) => gap.id));
    const values = await recallAll<number, Bytes>(this.#engine, table, ids, async (missing) => {
      const rows = await this.#engine.load(`SELECT id, hex(value) FROM ${table} WHERE id IN ($keys)`, missing);
      return rows.map(([id, digits]): [number, Bytes] => [id as number, pooled(digits as string)]);
    });
    for (const { id, target, at } of gaps) {
      const value = values.get(id);
      if (value === undefined) throw new ChainError("store_corrupt", `${table} ${id} is not in its dictionary`);
      target.set(value, at);
    }
  }
}

/** Small buffers share memory. */
function pooled(digits: string): Bytes {
  const { buffer, byteOffset, length } = Buffer.from(digits, "hex");
  return new Uint8Array(buffer, byteOffset, length);
}

import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { Connection } from "../engine/engine.ts";

/** A power of two. Ids that are equal in their lower bits share a place, and the newest has it. */
export const PLACES = 1 << 14;

/** Values of one size by their ids. They are no objects: thousands that come and go leave nothing to collect. */
export class FlatCache {
  readonly #size: number;
  readonly #values: Uint8Array;
  /** One more than the ids, so that 0 is none. */
  readonly #ids = new Float64Array(PLACES);

  constructor(size: number) {
    this.#size = size;
    this.#values = new Uint8Array(PLACES * size);
  }

  /** That of a state of the database. */
  static of(connection: Connection, name: string, size: number): FlatCache {
    const caches = connection.snapshotCache<"one", FlatCache>(`${name} values`);
    const known = caches.get("one");
    if (known !== undefined) return known;
    const cache = new FlatCache(size);
    caches.set("one", cache);
    return cache;
  }

  /** Copies a value to a place of other bytes; answers whether it is here. */
  copy(id: number, target: Bytes, at: number): boolean {
    const place = id % PLACES;
    if (this.#ids[place] !== id + 1) return false;
    const start = place * this.#size;
    for (let i = 0; i < this.#size; i++) target[at + i] = this.#values[start + i]!;
    return true;
  }

  set(id: number, value: Bytes): void {
    const place = id % PLACES;
    this.#ids[place] = id + 1;
    this.#values.set(value, place * this.#size);
  }
}

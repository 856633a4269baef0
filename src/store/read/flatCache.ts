import type { Bytes } from "../../chain/encoding/bytes.ts";
import type { Connection } from "../engine/engine.ts";

/** Powers of two. Ids that are equal in their lower bits share a place, and the newest has it. */
const FEWEST_PLACES = 1 << 8;
export const PLACES = 1 << 14;

/** How many times more places there are when half of them are taken: most states are asked for little. */
const GROWTH = 8;

/** Values of one size by their ids. They are no objects: thousands that come and go leave nothing to collect. */
export class FlatCache {
  readonly #size: number;
  #places = FEWEST_PLACES;
  #taken = 0;
  #values: Uint8Array;
  /** One more than the ids, so that 0 is none. */
  #ids = new Float64Array(FEWEST_PLACES);

  constructor(size: number) {
    this.#size = size;
    this.#values = new Uint8Array(FEWEST_PLACES * size);
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
    const place = id % this.#places;
    if (this.#ids[place] !== id + 1) return false;
    const start = place * this.#size;
    for (let i = 0; i < this.#size; i++) target[at + i] = this.#values[start + i]!;
    return true;
  }

  /** Keeps the value that begins at a place of some bytes. */
  set(id: number, bytes: Bytes, at = 0): void {
    if (this.#taken * 2 >= this.#places && this.#places < PLACES) this.#grow();
    const place = id % this.#places;
    if (this.#ids[place] === 0) this.#taken++;
    this.#ids[place] = id + 1;
    const start = place * this.#size;
    for (let i = 0; i < this.#size; i++) this.#values[start + i] = bytes[at + i]!;
  }

  /** Places that were apart stay apart among more of them. */
  #grow(): void {
    const [ids, values, size] = [this.#ids, this.#values, this.#size];
    this.#places = Math.min(this.#places * GROWTH, PLACES);
    this.#ids = new Float64Array(this.#places);
    this.#values = new Uint8Array(this.#places * size);
    for (const [place, id] of ids.entries()) {
      if (id === 0) continue;
      const at = (id - 1) % this.#places;
      this.#ids[at] = id;
      this.#values.set(values.subarray(place * size, (place + 1) * size), at * size);
    }
  }
}

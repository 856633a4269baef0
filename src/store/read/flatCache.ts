import type { Bytes } from "../../chain/encoding/bytes.ts";

/** Powers of two. Ids that are equal in their lower bits share a place, and the newest has it. */
const FEWEST_PLACES = 1 << 8;
export const PLACES = 1 << 18;

/** How many times more places there are when half of them are taken. */
const GROWTH = 8;

const ID_SIZE = 8;

/**
 * Values of one size by their ids. They are no objects: thousands that come and go leave nothing to collect. An id stands
 * before its value, so that both come into the processor's cache at once.
 */
export class FlatCache {
  readonly #size: number;
  /** Of an id and its value, in ids. */
  readonly #stride: number;
  #places = FEWEST_PLACES;
  #taken = 0;
  /** One more than the ids, so that 0 is none. */
  #ids: Float64Array;
  /** The same memory. */
  #bytes: Uint8Array;

  constructor(size: number) {
    this.#size = size;
    this.#stride = 1 + Math.ceil(size / ID_SIZE);
    this.#ids = new Float64Array(FEWEST_PLACES * this.#stride);
    this.#bytes = new Uint8Array(this.#ids.buffer);
  }

  /** Copies a value to a place of other bytes; answers whether it is here. */
  copy(id: number, target: Bytes, at: number): boolean {
    const place = this.#placeOf(id);
    if (this.#ids[place] !== id + 1) return false;
    const start = (place + 1) * ID_SIZE;
    for (let i = 0; i < this.#size; i++) target[at + i] = this.#bytes[start + i]!;
    return true;
  }

  /** Keeps the value that begins at a place of some bytes. */
  set(id: number, bytes: Bytes, at = 0): void {
    if (this.#taken * 2 >= this.#places && this.#places < PLACES) this.#grow();
    if (this.#ids[this.#placeOf(id)] === 0) this.#taken++;
    this.#write(id, bytes, at);
  }

  #write(id: number, bytes: Bytes, at: number): void {
    const place = this.#placeOf(id);
    this.#ids[place] = id + 1;
    const start = (place + 1) * ID_SIZE;
    for (let i = 0; i < this.#size; i++) this.#bytes[start + i] = bytes[at + i]!;
  }

  #placeOf(id: number): number {
    return (id & (this.#places - 1)) * this.#stride;
  }

  /** Places that were apart stay apart among more of them. */
  #grow(): void {
    const [ids, bytes] = [this.#ids, this.#bytes];
    this.#places = Math.min(this.#places * GROWTH, PLACES);
    this.#ids = new Float64Array(this.#places * this.#stride);
    this.#bytes = new Uint8Array(this.#ids.buffer);
    for (let place = 0; place < ids.length; place += this.#stride) {
      if (ids[place]! > 0) this.#write(ids[place]! - 1, bytes, (place + 1) * ID_SIZE);
    }
  }
}

import type { Bytes } from "../../chain/encoding/bytes.ts";

/** Powers of two. Direct-mapped: ids with equal low bits share a slot. */
const FEWEST_PLACES = 1 << 8;
export const PLACES = 1 << 18;

const GROWTH = 8;

const ID_SIZE = 8;

/**
 * Fixed-size values by id in flat memory, which leaves nothing to collect. The id precedes its value for cache
 * locality.
 */
export class FlatCache {
  readonly #size: number;
  readonly #stride: number;
  #places = FEWEST_PLACES;
  #taken = 0;
  /** id + 1; 0 is empty. */
  #ids: Float64Array;
  /** Same memory. */
  #bytes: Uint8Array;

  constructor(size: number) {
    this.#size = size;
    this.#stride = 1 + Math.ceil(size / ID_SIZE);
    this.#ids = new Float64Array(FEWEST_PLACES * this.#stride);
    this.#bytes = new Uint8Array(this.#ids.buffer);
  }

  copy(id: number, target: Bytes, at: number): boolean {
    const place = this.#placeOf(id);
    if (this.#ids[place] !== id + 1) return false;
    const start = (place + 1) * ID_SIZE;
    for (let i = 0; i < this.#size; i++) target[at + i] = this.#bytes[start + i]!;
    return true;
  }

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

  /** Distinct slots stay distinct. */
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

import type { Bytes } from "../../chain/encoding/bytes.ts";

/** Powers of two. Direct-mapped: ids with equal low bits share a slot. */
const MIN_SLOTS = 1 << 8;
export const CACHE_SLOTS = 1 << 18;

const GROWTH = 8;

const ID_SIZE = 8;

/**
 * Fixed-size values by id in flat memory, which leaves nothing to collect. The id precedes its value for cache
 * locality.
 */
export class FlatCache {
  readonly #size: number;
  readonly #stride: number;
  #slots = MIN_SLOTS;
  #taken = 0;
  /** id + 1; 0 is empty. */
  #ids: Float64Array;
  /** Same memory. */
  #bytes: Uint8Array;

  constructor(size: number) {
    this.#size = size;
    this.#stride = 1 + Math.ceil(size / ID_SIZE);
    this.#ids = new Float64Array(MIN_SLOTS * this.#stride);
    this.#bytes = new Uint8Array(this.#ids.buffer);
  }

  copy(id: number, target: Bytes, at: number): boolean {
    const slot = this.#slotOf(id);
    if (this.#ids[slot] !== id + 1) return false;
    const start = (slot + 1) * ID_SIZE;
    for (let i = 0; i < this.#size; i++) target[at + i] = this.#bytes[start + i]!;
    return true;
  }

  set(id: number, bytes: Bytes, at = 0): void {
    if (this.#taken * 2 >= this.#slots && this.#slots < CACHE_SLOTS) this.#grow();
    if (this.#ids[this.#slotOf(id)] === 0) this.#taken++;
    this.#write(id, bytes, at);
  }

  #write(id: number, bytes: Bytes, at: number): void {
    const slot = this.#slotOf(id);
    this.#ids[slot] = id + 1;
    const start = (slot + 1) * ID_SIZE;
    for (let i = 0; i < this.#size; i++) this.#bytes[start + i] = bytes[at + i]!;
  }

  #slotOf(id: number): number {
    return (id & (this.#slots - 1)) * this.#stride;
  }

  /** Distinct slots stay distinct. */
  #grow(): void {
    const [ids, bytes] = [this.#ids, this.#bytes];
    this.#slots = Math.min(this.#slots * GROWTH, CACHE_SLOTS);
    this.#ids = new Float64Array(this.#slots * this.#stride);
    this.#bytes = new Uint8Array(this.#ids.buffer);
    for (let slot = 0; slot < ids.length; slot += this.#stride) {
      if (ids[slot]! > 0) this.#write(ids[slot]! - 1, bytes, (slot + 1) * ID_SIZE);
    }
  }
}

import type { Bytes } from "../../src/chain/encoding/bytes.ts";

const SIZE = 20;
const WORDS = SIZE / 4;

/** Distinct addresses by rank, computed, so that any number of them takes no memory. */
export class AddressSpace {
  readonly #seed: number;
  #count: number;

  constructor(seed: number, count: number) {
    this.#seed = Math.imul(seed, 0x9e3779b9);
    this.#count = count;
  }

  get count(): number {
    return this.#count;
  }

  at(rank: number): Bytes {
    const address = new Uint8Array(SIZE);
    this.write(rank, address, 0);
    return address;
  }

  write(rank: number, target: Bytes, start: number): void {
    for (let word = 0, at = start; word < WORDS; word++, at += 4) {
      const mixed = mix(this.#seed + rank * WORDS + word);
      target[at] = mixed;
      target[at + 1] = mixed >>> 8;
      target[at + 2] = mixed >>> 16;
      target[at + 3] = mixed >>> 24;
    }
  }

  /** Returns the rank of another address. */
  add(): number {
    return this.#count++;
  }
}

/** A permutation of 32 bits (murmur3's finalizer). */
function mix(word: number): number {
  let bits = word | 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return bits ^ (bits >>> 16);
}

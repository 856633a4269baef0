import { createHash, randomBytes } from "node:crypto";
import type { Bytes } from "../../chain/encoding/bytes.ts";

/**
 * 52-bit keys for values that anyone can choose: HalfSipHash-1-3 under a secret of the store, so that collisions cannot
 * be crafted.
 */
export class KeyedHash {
  readonly #low: number;
  readonly #high: number;

  /** 8 bytes. */
  constructor(secret: Bytes) {
    const view = new DataView(secret.buffer, secret.byteOffset, 8);
    this.#low = view.getInt32(0, true);
    this.#high = view.getInt32(4, true);
  }

  static newSecret(): Bytes {
    return randomBytes(8);
  }

  /** A hash that is independent of this one. */
  derive(purpose: string): KeyedHash {
    const secret = createHash("sha256").update(Int32Array.of(this.#low, this.#high)).update(purpose).digest();
    return new KeyedHash(secret);
  }

  /** The length must be a multiple of four. */
  key(value: Bytes): number {
    const words = new Int32Array(value.length / 4);
    readWords(value, 0, words);
    return this.keyOfWords(words, 0, words.length);
  }

  keyOfWords(words: Int32Array, start: number, count: number): number {
    let v0 = this.#low;
    let v1 = this.#high ^ 0xee;
    let v2 = this.#low ^ 0x6c796765;
    let v3 = this.#high ^ 0x74656462;
    let first = 0;
    // One round per word and one for the length, then three per half.
    for (let round = 0; round < count + 7; round++) {
      const word = round < count ? words[start + round]! : round === count ? count << 26 : 0;
      v3 ^= word;
      if (round === count + 1) v2 ^= 0xee;
      if (round === count + 4) {
        first = v1 ^ v3;
        v1 ^= 0xdd;
      }
      v0 = (v0 + v1) | 0;
      v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
      v0 = (v0 << 16) | (v0 >>> 16);
      v2 = (v2 + v3) | 0;
      v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
      v0 = (v0 + v3) | 0;
      v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
      v2 = (v2 + v1) | 0;
      v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
      v2 = (v2 << 16) | (v2 >>> 16);
      v0 ^= word;
    }
    return ((v1 ^ v3) >>> 12) * 0x100000000 + (first >>> 0);
  }
}

export function readWords(value: Bytes, at: number, words: Int32Array): void {
  for (let word = 0, i = at; word < words.length; word++, i += 4) {
    words[word] = value[i]! | (value[i + 1]! << 8) | (value[i + 2]! << 16) | (value[i + 3]! << 24);
  }
}

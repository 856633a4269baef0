import type { Bytes } from "../../src/chain/encoding/bytes.ts";

/** A seeded generator (sfc32): the same seed gives the same numbers on every machine. */
export class Random {
  readonly seed: number;
  #a: number;
  #b: number;
  #c = 0x9e3779b9;
  #counter = 1;

  constructor(seed: number) {
    this.seed = seed;
    this.#a = seed | 0;
    this.#b = Math.floor(seed / 2 ** 32) | 0;
    for (let i = 0; i < 12; i++) this.#next();
  }

  /** An integer in [0, bound). */
  int(bound: number): number {
    return Math.floor(this.fraction() * bound);
  }

  between(from: number, to: number): number {
    return from + this.int(to - from + 1);
  }

  /** A number in [0, 1). */
  fraction(): number {
    return this.#next() / 2 ** 32;
  }

  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.int(list.length)]!;
  }

  /** Like `pick`, but the first items come far more often than the last. */
  pickSkewed<T>(list: readonly T[]): T {
    return list[Math.floor(this.fraction() ** 3 * list.length)]!;
  }

  bytes(length: number): Bytes {
    const bytes = new Uint8Array(length);
    this.fill(bytes, 0, length);
    return bytes;
  }

  fill(target: Bytes, from: number, to: number): void {
    for (let at = from; at < to; at += 4) {
      const word = this.#next();
      for (let i = 0; i < 4 && at + i < to; i++) target[at + i] = word >>> (8 * i);
    }
  }

  fork(label: string): Random {
    let hash = 0x811c9dc5 ^ this.seed;
    for (let i = 0; i < label.length; i++) hash = Math.imul(hash ^ label.charCodeAt(i), 0x01000193);
    return new Random((hash >>> 0) + (this.seed >>> 0) * 2 ** 20);
  }

  shuffle<T>(list: readonly T[]): T[] {
    const shuffled = [...list];
    for (let i = shuffled.length - 1; i > 0; i--) {
      const other = this.int(i + 1);
      [shuffled[i], shuffled[other]] = [shuffled[other]!, shuffled[i]!];
    }
    return shuffled;
  }

  #next(): number {
    const sum = (this.#a + this.#b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum;
    this.#c |= 0;
    return sum >>> 0;
  }
}

import type { Bytes } from "../chain/encoding/bytes.ts";
import type { Hex } from "../chain/encoding/hex.ts";
import { toHex } from "../chain/encoding/hex.ts";
import { keccak256 } from "../chain/hashing/keccak.ts";
import { defined, itemAt } from "../std/values.ts";

/** Deterministic random numbers from a text seed. */
export class Random {
  readonly #text: string;
  #drawn = 0;
  #rest: Bytes = new Uint8Array(0);

  constructor(text: string) {
    this.#text = text;
  }

  below(count: number): number {
    return Number(Buffer.from(this.bytes(6)).readUIntBE(0, 6) % count);
  }

  /** Both bounds included. */
  between(min: number, max: number): number {
    return min + this.below(max - min + 1);
  }

  chance(percent: number): boolean {
    return this.below(100) < percent;
  }

  pick<T>(list: readonly T[]): T {
    return itemAt(list, this.below(list.length));
  }

  pickWeighted<T extends { readonly weight: number }>(list: readonly T[]): T {
    let drawn = this.below(list.reduce((sum, { weight }) => sum + weight, 0));
    for (const item of list) {
      drawn -= item.weight;
      if (drawn < 0) return item;
    }
    return defined(list.at(-1));
  }

  /** A share of an amount, in basis points from `least` to `most`. */
  part(amount: bigint, min: number, max: number): bigint {
    return (amount * BigInt(this.between(min, max))) / 10_000n;
  }

  address(): Hex {
    return toHex(this.bytes(20));
  }

  bytes(size: number): Bytes {
    while (this.#rest.length < size) {
      const more = keccak256(Buffer.from(`${this.#text} ${this.#drawn++}`));
      this.#rest = Buffer.concat([this.#rest, more]);
    }
    const taken = this.#rest.subarray(0, size);
    this.#rest = this.#rest.subarray(size);
    return taken;
  }
}

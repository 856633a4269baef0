import type { Bytes } from "../../chain/bytes.ts";

/** The nodes read or written last, in two generations: what is not asked for during one is gone after the next. */
export class RecentNodes {
  readonly #size: number;
  #young = new Map<string, Bytes>();
  #old = new Map<string, Bytes>();

  constructor(size = 16_384) {
    this.#size = size;
  }

  get(name: string): Bytes | undefined {
    const young = this.#young.get(name);
    if (young !== undefined) return young;
    const old = this.#old.get(name);
    if (old !== undefined) this.set(name, old);
    return old;
  }

  set(name: string, value: Bytes): void {
    if (this.#young.size >= this.#size) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(name, value);
  }
}

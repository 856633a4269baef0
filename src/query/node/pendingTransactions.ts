import { readNumber, readObject } from "../../chain/encoding/wire.ts";
import { ChainError } from "../../chain/error.ts";
import type { ReadThrough } from "./readThrough.ts";

/** Milliseconds for which an answer counts, a refusal too. */
const KEPT = 1000;

/** How many transactions wait in the node's pool to be mined. */
export class PendingTransactions {
  readonly #readThrough: ReadThrough;
  #known: { readonly count: number | undefined; readonly until: number } | undefined;

  constructor(readThrough: ReadThrough) {
    this.#readThrough = readThrough;
  }

  /** Those that could be in the next block; undefined where the node does not say. */
  async count(): Promise<number | undefined> {
    const now = performance.now();
    if (this.#known === undefined || this.#known.until < now) {
      this.#known = { count: await this.#ask(), until: now + KEPT };
    }
    return this.#known.count;
  }

  async #ask(): Promise<number | undefined> {
    try {
      const { pending } = readObject(await this.#readThrough.poolStatus(), "txpool_status");
      return readNumber(pending, "txpool_status.pending");
    } catch (error) {
      if (error instanceof ChainError) return undefined;
      throw error;
    }
  }
}

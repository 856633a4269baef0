import { isObject } from "../std/values.ts";

/** Milliseconds between queries for the finalized block. */
export const FINALITY_LIFETIME = 30_000;

/** Height of the newest finalized block as last reported. Reading it never waits. */
export class FinalizedHeight {
  readonly #ask: () => Promise<string>;
  readonly #now: () => number;
  #height = -1;
  #askedAt = Number.NEGATIVE_INFINITY;

  constructor(ask: () => Promise<string>, now: () => number = () => performance.now()) {
    this.#ask = ask;
    this.#now = now;
  }

  /** -1 if unknown. */
  get current(): number {
    if (this.#now() - this.#askedAt >= FINALITY_LIFETIME) {
      this.#askedAt = this.#now();
      void this.#learn();
    }
    return this.#height;
  }

  /** Call after a reorg, which may have removed finalized blocks. */
  forget(): void {
    this.#height = -1;
    this.#askedAt = Number.NEGATIVE_INFINITY;
  }

  /** Never decreases, whatever another node reports. */
  async #learn(): Promise<void> {
    try {
      const block: unknown = JSON.parse(await this.#ask());
      const height = isObject(block) && typeof block.number === "string" ? Number(block.number) : -1;
      if (Number.isSafeInteger(height)) this.#height = Math.max(this.#height, height);
    } catch {
      // Nodes that do not support the tag are served without finality.
    }
  }
}

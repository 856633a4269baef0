import { isObject } from "../std/isObject.ts";

/** Milliseconds after which the node is asked again which block is finalized. */
export const FINALITY_LIFETIME = 30_000;

/** The height of the newest finalized block, as far as it is known. Nobody waits for it. */
export class FinalizedHeight {
  readonly #ask: () => Promise<string>;
  readonly #now: () => number;
  #height = -1;
  #askedAt = Number.NEGATIVE_INFINITY;

  /** `ask` answers the finalized block as JSON. */
  constructor(ask: () => Promise<string>, now: () => number = () => performance.now()) {
    this.#ask = ask;
    this.#now = now;
  }

  /** -1 where that is not known yet, or the node does not say. */
  get current(): number {
    if (this.#now() - this.#askedAt >= FINALITY_LIFETIME) {
      this.#askedAt = this.#now();
      void this.#learn();
    }
    return this.#height;
  }

  /** Blocks were replaced, finalized ones perhaps. */
  forget(): void {
    this.#height = -1;
    this.#askedAt = Number.NEGATIVE_INFINITY;
  }

  /** What was finalized once stays it, whatever another node says. */
  async #learn(): Promise<void> {
    try {
      const block: unknown = JSON.parse(await this.#ask());
      const height = isObject(block) && typeof block.number === "string" ? Number(block.number) : -1;
      if (Number.isSafeInteger(height)) this.#height = Math.max(this.#height, height);
    } catch {
      // A node that does not know the tag keeps nothing from being answered.
    }
  }
}

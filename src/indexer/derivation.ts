import type { Store } from "../store/store.ts";
import { tokenEvents } from "./events/transfers.ts";

/** Blocks whose stages are derived in one transaction, at most. */
const DERIVED_AT_ONCE = 200;

/** What was derived until a stage was as far as the core. */
export interface Derived {
  readonly blocks: number;
  readonly milliseconds: number;
}

const NOTHING: Derived = { blocks: 0, milliseconds: 0 };

/** Brings stages that are new or were left behind up to the core, a part at a time, from rows that are there. */
export class Derivation {
  readonly #store: Store;
  /** Every stage is as far as the core. */
  #isDone = false;
  #derived = NOTHING;

  constructor(store: Store) {
    this.#store = store;
  }

  get isDone(): boolean {
    return this.#isDone;
  }

  /** Something failed, and how far the stages are is to be looked up again. */
  restart(): void {
    this.#isDone = false;
  }

  /** Derives one part. Answers the totals when the last part is done, if anything was derived; undefined otherwise. */
  async step(): Promise<Derived | undefined> {
    const [start, before] = [performance.now(), await this.#derivedTo()];
    this.#isDone = (await this.#store.deriveTokens(DERIVED_AT_ONCE, tokenEvents)) === 0;
    const derived = {
      blocks: this.#derived.blocks + (await this.#derivedTo()) - before,
      milliseconds: this.#derived.milliseconds + performance.now() - start,
    };
    this.#derived = this.#isDone ? NOTHING : derived;
    return this.#isDone && derived.blocks > 0 ? derived : undefined;
  }

  async #derivedTo(): Promise<number> {
    const stage = (await this.#store.latest.stages()).find(({ name }) => name === "tokens");
    return stage?.block ?? ((await this.#store.latest.blocks.first())?.header.number ?? 0) - 1;
  }
}

import type { StageFeed } from "../store/stage.ts";
import type { Store } from "../store/store.ts";

/** Blocks whose stages are derived in one transaction, at most. */
const DERIVE_BATCH_SIZE = 200;

/** What was derived until a stage was as far as the core. */
export interface Derived {
  readonly stage: string;
  readonly blocks: number;
  readonly milliseconds: number;
}

/** Brings stages that are new or were left behind up to the core, a part at a time, from rows that are there. */
export class Derivation {
  readonly #store: Store;
  readonly #stages: readonly StageFeed[];
  /** The stages that may be behind the core. */
  #behind: readonly StageFeed[];
  #blocks = 0;
  #milliseconds = 0;

  constructor(store: Store, stages: readonly StageFeed[]) {
    this.#store = store;
    this.#stages = stages;
    this.#behind = stages;
  }

  get isDone(): boolean {
    return this.#behind.length === 0;
  }

  /** Something failed, and how far the stages are is to be looked up again. */
  restart(): void {
    this.#behind = this.#stages;
  }

  /** Derives one part. Answers the totals when the last part of a stage is done, if anything was derived; undefined otherwise. */
  async step(): Promise<Derived | undefined> {
    const [feed] = this.#behind;
    if (feed === undefined) return undefined;
    const { name } = feed.stage;
    const [start, before] = [performance.now(), await this.#derivedTo(feed)];
    const isDone = (await this.#store.derive(feed, DERIVE_BATCH_SIZE)) === 0;
    this.#blocks += (await this.#derivedTo(feed)) - before;
    this.#milliseconds += performance.now() - start;
    if (!isDone) return undefined;
    const derived = { stage: name, blocks: this.#blocks, milliseconds: this.#milliseconds };
    this.#behind = this.#behind.slice(1);
    this.#blocks = 0;
    this.#milliseconds = 0;
    return derived.blocks > 0 ? derived : undefined;
  }

  async #derivedTo({ stage }: StageFeed): Promise<number> {
    const cursors = await this.#store.latest.stages();
    const known = cursors.find(({ name, version }) => name === stage.name && version === stage.version);
    return known?.block ?? ((await this.#store.latest.blocks.first())?.header.number ?? 0) - 1;
  }
}

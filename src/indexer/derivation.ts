import type { StageFeed } from "../store/stages/stage.ts";
import type { Store } from "../store/store.ts";

const DERIVE_BATCH_SIZE = 200;

export interface Derived {
  readonly stage: string;
  readonly blocks: number;
  readonly milliseconds: number;
}

/** Brings new or lagging stages up to the core from stored rows, in parts. */
export class Derivation {
  readonly #store: Store;
  readonly #stages: readonly StageFeed[];
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

  /** Re-reads stage positions after a failure. */
  restart(): void {
    this.#behind = this.#stages;
  }

  /** Derives one part. Returns totals with the last part of a stage, if anything was derived. */
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

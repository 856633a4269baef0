import type { Block } from "../../src/chain/block/block.ts";
import { JoinedBlocks } from "../../src/indexer/batch.ts";
import { Committer } from "../../src/indexer/commit.ts";
import { STAGES } from "../../src/indexer/stages.ts";
import type { Tip } from "../../src/store/read/blocks.ts";
import type { Store } from "../../src/store/store.ts";
import { REALISTIC, SyntheticBlocks } from "./syntheticBlocks.ts";

/** Of this process, without what made the blocks. */
export interface Fed {
  readonly cpuMs: number;
  readonly wallMs: number;
}

const NO_SOURCE = { authoritative: true, hashes: async () => [] };

/** So far above that no block is journaled or committed alone. */
const BELOW_HEAD = 1_000_000;

/** Feeds a store with made blocks as the indexer does, without a node, JSON and checks. */
export class Feeding {
  readonly #made: SyntheticBlocks;
  readonly #committer: Committer;
  #tip: Tip | undefined;
  #makingCpu = 0;
  #makingWall = 0;

  constructor(store: Store, seed: number) {
    this.#made = new SyntheticBlocks(seed, REALISTIC, false);
    this.#committer = new Committer({ store, stages: STAGES });
  }

  get transactions(): number {
    return this.#tip?.totals.transactions ?? 0;
  }

  backfill(count: number): Promise<Fed> {
    return this.#feed(count, BELOW_HEAD);
  }

  /** Each block is the newest when it is committed. */
  async atHead(count: number): Promise<Fed> {
    const sum = { cpuMs: 0, wallMs: 0 };
    for (let at = 0; at < count; at++) {
      const { cpuMs, wallMs } = await this.#feed(1, (this.#tip?.number ?? -1) + 1);
      sum.cpuMs += cpuMs;
      sum.wallMs += wallMs;
    }
    return sum;
  }

  async #feed(count: number, head: number): Promise<Fed> {
    const start = performance.now();
    const cpu = process.cpuUsage();
    [this.#makingCpu, this.#makingWall] = [0, 0];
    await this.#committer.commit(
      new JoinedBlocks(this.#blocks(count), this.#tip, NO_SOURCE),
      { check: async (block) => block, notes: () => ({}) },
      { head, journal: { head, blocks: 256 } },
      (tip) => {
        this.#tip = tip;
      },
    );
    const { user, system } = process.cpuUsage(cpu);
    return {
      cpuMs: (user + system) / 1000 - this.#makingCpu,
      wallMs: performance.now() - start - this.#makingWall,
    };
  }

  async *#blocks(count: number): AsyncGenerator<Block[]> {
    for (let at = 0; at < count; at++) {
      const start = performance.now();
      const cpu = process.threadCpuUsage();
      const block = this.#made.nextBlock();
      const { user, system } = process.threadCpuUsage(cpu);
      this.#makingCpu += (user + system) / 1000;
      this.#makingWall += performance.now() - start;
      yield [block];
    }
  }
}

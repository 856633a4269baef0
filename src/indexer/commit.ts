import type { Block } from "../chain/block/block.ts";
import type { Tip } from "../store/read/blocks.ts";
import type { StageFeed } from "../store/stage.ts";
import type { Store } from "../store/store.ts";
import { BatchSize, type JoinedBlocks } from "./batch.ts";
import type { Journal } from "./journal.ts";

/** Blocks that are committed one by one after a transaction that the store refused. */
const ONE_BY_ONE = 1024;

export interface CommitOptions {
  readonly store: Store;
  readonly stages?: readonly StageFeed[] | undefined;
  /** Keeps the blobs that a block brings, before it is stored. */
  readonly keepBlobs?: ((block: Block) => Promise<void>) | undefined;
}

/** What is asked of a batch while it is made: that a block is right, and what is to be noted of those that were. */
export interface Checking {
  check(block: Block): Promise<Block>;
  notes(): Readonly<Record<string, string>>;
}

/** Blocks that were fetched and checked, to be written in one transaction. */
interface CheckedBatch {
  readonly parts: Block[][];
  readonly size: BatchSize;
  readonly notes: Readonly<Record<string, string>>;
  /** What went wrong with the block after them, if anything did. */
  readonly failure: unknown;
}

/** Writes fetched blocks into the store, batch by batch. */
export class Committer {
  readonly #options: CommitOptions;
  /** How many blocks are still committed one by one, so that those before one that cannot be stored are kept. */
  #oneByOne = 0;

  constructor(options: CommitOptions) {
    this.#options = options;
  }

  /**
   * Commits batches until the stream ends; answers how many. A block that fails is thrown once those before it are kept.
   * While a batch is written the next one is fetched, unless blocks are so large that two of them are too many.
   */
  async commit(
    stream: JoinedBlocks,
    checking: Checking,
    { head, journal }: { readonly head: number; readonly journal: Journal },
    onCommit: (tip: Tip) => void,
  ): Promise<number> {
    const collect = () => this.#collect(stream, checking, head);
    let batch = await collect();
    for (let commits = 0; ; commits++) {
      if (batch.size.isEmpty && batch.failure === undefined) return commits;
      if (batch.size.isEmpty) throw batch.failure;
      const next = batch.failure === undefined && batch.size.isLight ? collect() : undefined;
      onCommit(await this.#write(batch, journal, next));
      if (batch.failure !== undefined) throw batch.failure;
      batch = await (next ?? collect());
    }
  }

  /** Where it fails, what is being fetched meanwhile is waited for and left. */
  async #write({ parts, size, notes }: CheckedBatch, { head, blocks }: Journal, meanwhile?: Promise<unknown>) {
    const { store, stages = [] } = this.#options;
    try {
      const tip = await store.append({ parts, head, journaled: blocks, meta: notes, stages });
      this.#oneByOne = Math.max(0, this.#oneByOne - size.blocks);
      return tip;
    } catch (error) {
      // An error of the store itself would come again: one block at a time, those before the one at fault are kept.
      this.#oneByOne = ONE_BY_ONE;
      await meanwhile;
      throw error;
    }
  }

  /** Takes blocks until the batch is full, the stream ends or a block fails. It does not throw. */
  async #collect(stream: JoinedBlocks, checking: Checking, head: number): Promise<CheckedBatch> {
    const size = new BatchSize(head, this.#oneByOne > 0 ? 1 : undefined);
    const parts: Block[][] = [];
    let failure: unknown;
    try {
      while (!size.isFull) {
        const block = await stream.peek();
        if (block === undefined) break;
        const checked = await checking.check(block);
        if (checked.sidecars !== undefined) await this.#options.keepBlobs?.(checked);
        if (size.beginsPart(checked)) parts.push([]);
        parts.at(-1)?.push(checked);
        stream.take();
      }
    } catch (error) {
      failure = error;
    }
    return { parts, size, notes: checking.notes(), failure };
  }
}

import type { Block } from "../chain/block/block.ts";
import type { ErrorCode } from "../chain/error.ts";
import { asChainError } from "../chain/error.ts";
import { Turn } from "../std/async.ts";
import type { Tip } from "../store/read/blocks.ts";
import type { StageFeed } from "../store/stages/stage.ts";
import type { Batch, Store } from "../store/store.ts";
import type { JoinedBlocks } from "./batch.ts";
import { BatchSize, batchLimits } from "./batch.ts";
import type { Journal } from "./journal.ts";

/** Blocks committed singly after the store rejected a batch. */
const ONE_BY_ONE = 1024;

/** Failures of the database, which a block causes only if they recur: the same blocks are stored together once more. */
const OF_DATABASE: ReadonlySet<ErrorCode> = new Set(["store_unavailable", "store_locked", "store_changed"]);

interface CommitOptions {
  readonly store: Store;
  readonly stages?: readonly StageFeed[] | undefined;
  /** Runs before the block is stored. */
  readonly keepBlobs?: ((block: Block) => Promise<void>) | undefined;
}

/** Callbacks per block: verify it, and record the findings once it is stored. */
interface Checking {
  check(block: Block): Promise<Block>;
  notes(): Readonly<Record<string, string>>;
}

export class Committer {
  readonly #options: CommitOptions;
  /** Remaining single-block commits, so that blocks before a failing one are kept. */
  #oneByOne = 0;
  /** Whether the last commit failed. */
  #hasFailed = false;

  constructor(options: CommitOptions) {
    this.#options = options;
  }

  /**
   * Commits until the stream ends. Returns the number of blocks. Throws a block's error after committing those before
   * it.
   */
  async commit(
    stream: JoinedBlocks,
    checking: Checking,
    { head, journal }: { readonly head: number; readonly journal: Journal },
    onCommit: (tip: Tip) => void,
  ): Promise<number> {
    const { store, stages = [] } = this.#options;
    for (let commits = 0; ; commits++) {
      const limits = batchLimits(store.batchFactor);
      const size = new BatchSize(head, this.#oneByOne > 0 ? { ...limits, blocks: 1 } : limits);
      const batch = await store.begin({ head: journal.head, journaled: journal.blocks, stages });
      const failure = await this.#fill(batch, size, stream, checking);
      if (!size.isEmpty) onCommit(await this.#orOneByOne(() => batch.commit(checking.notes())));
      this.#hasFailed = false;
      if (failure !== undefined) throw failure;
      if (size.isEmpty) return commits;
      this.#oneByOne = Math.max(0, this.#oneByOne - size.blocks);
    }
  }

  /** Fills the batch. Returns the error of the next block, if any. */
  async #fill(batch: Batch, size: BatchSize, stream: JoinedBlocks, checking: Checking): Promise<unknown> {
    const turn = new Turn();
    for (;;) {
      const { part, failure } = await this.#nextPart(stream, size, checking);
      if (part.length > 0) await this.#orOneByOne(() => batch.add(part));
      if (failure !== undefined || size.isFull || !size.isPartFull) return failure;
      await turn.yieldToEventLoop();
    }
  }

  async #nextPart(
    stream: JoinedBlocks,
    size: BatchSize,
    checking: Checking,
  ): Promise<{ part: Block[]; failure?: unknown }> {
    const part: Block[] = [];
    size.beginPart();
    try {
      while (!size.isFull && !size.isPartFull) {
        const block = await stream.peek();
        if (block === undefined) break;
        const checked = await checking.check(block);
        if (checked.sidecars !== undefined || checked.header.blobGasUsed) await this.#options.keepBlobs?.(checked);
        part.push(checked);
        size.count(checked);
        stream.take();
      }
      return { part };
    } catch (failure) {
      return { part, failure };
    }
  }

  /** An error that a block causes would recur, so blocks are then committed one by one up to the failing one. */
  async #orOneByOne<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (this.#hasFailed || !OF_DATABASE.has(asChainError(error).code)) this.#oneByOne = ONE_BY_ONE;
      this.#hasFailed = true;
      throw error;
    }
  }
}

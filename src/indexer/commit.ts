import type { Block } from "../chain/block/block.ts";
import type { Tip } from "../store/blocks.ts";
import type { AddBlocks, Store } from "../store/store.ts";
import type { BlockTransfers } from "../store/tokens/transferIds.ts";
import { BatchSize, type JoinedBlocks } from "./batch.ts";
import { tokenEvents } from "./events/transfers.ts";
import type { Journal } from "./journal.ts";

/** Blocks that are committed one by one after a transaction that the store refused. */
const ONE_BY_ONE = 1024;

export interface CommitOptions {
  readonly store: Store;
  /** Keeps the tokens stage as well. */
  readonly tokens?: boolean | undefined;
  /** Keeps the blobs that a block brings, before it is stored. */
  readonly keepBlobs?: ((block: Block) => Promise<void>) | undefined;
}

/** What is asked of a batch while it is made: that a block is right, and what is to be noted of those that were. */
export interface Checking {
  check(block: Block): Promise<Block>;
  notes(): Readonly<Record<string, string>>;
}

/** Writes fetched blocks into the store, a batch in one transaction. */
export class Committer {
  readonly #options: CommitOptions;
  /** How many blocks are still committed one by one, so that those before one that cannot be stored are kept. */
  #oneByOne = 0;

  constructor(options: CommitOptions) {
    this.#options = options;
  }

  /** One transaction. A block that fails ends it, and is thrown once those before it are kept. */
  async commit(
    stream: JoinedBlocks,
    checking: Checking,
    { head, journal }: { readonly head: number; readonly journal: Journal },
    onCommit: (tip: Tip) => void,
  ): Promise<void> {
    const size = new BatchSize(head, this.#oneByOne > 0 ? 1 : undefined);
    const added: { failure?: unknown } = {};
    const write = async (add: AddBlocks) => {
      added.failure = await this.#addParts(stream, size, { checking, add });
      if (size.isEmpty) throw added.failure;
      return checking.notes();
    };
    try {
      onCommit(await this.#options.store.append(journal.head, write, journal.blocks));
    } catch (error) {
      // An error of the store itself would come again: one block at a time, those before the one at fault are kept.
      if (error !== added.failure) this.#oneByOne = ONE_BY_ONE;
      throw error;
    }
    this.#oneByOne = Math.max(0, this.#oneByOne - size.blocks);
    if (added.failure !== undefined) throw added.failure;
  }

  /** Hands blocks over until the batch is full or the stream ends; answers what went wrong, if anything did. */
  async #addParts(
    stream: JoinedBlocks,
    size: BatchSize,
    { checking, add }: { checking: Checking; add: AddBlocks },
  ): Promise<unknown> {
    while (!size.isFull) {
      const { part, failure } = await this.#nextPart(stream, size, checking);
      if (part.length > 0) await this.#addPart(part, add);
      if (failure !== undefined || size.isPartEmpty) return failure;
    }
    return undefined;
  }

  /** Empties the part: a block of a hundred thousand logs is not held while its transfers are stored. */
  async #addPart(part: Block[], add: AddBlocks): Promise<void> {
    const transfers = this.#options.tokens === true ? part.map(blockTransfers) : [];
    await add(part);
    part.length = 0;
    if (transfers.length > 0) await add(part, transfers);
  }

  async #nextPart(
    stream: JoinedBlocks,
    size: BatchSize,
    { check }: Checking,
  ): Promise<{ part: Block[]; failure?: unknown }> {
    const part: Block[] = [];
    size.beginPart();
    try {
      while (!size.isFull && !size.isPartFull) {
        const block = await stream.peek();
        if (block === undefined) break;
        const checked = await check(block);
        if (checked.sidecars !== undefined) await this.#options.keepBlobs?.(checked);
        part.push(checked);
        stream.take();
        size.count(block);
      }
      return { part };
    } catch (failure) {
      return { part, failure };
    }
  }
}

function blockTransfers(block: Block): BlockTransfers {
  return { number: block.header.number, ...tokenEvents(block) };
}

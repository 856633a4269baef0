import type { Block } from "../chain/block.ts";
import type { Bytes } from "../chain/bytes.ts";
import { equalBytes } from "../chain/bytes.ts";
import { mostTransfers } from "./events/omission.ts";
import { weigh } from "./fetchAhead.ts";

/** Fetched blocks one by one, as long as each joins on to the one before. */
export class JoinedBlocks {
  readonly #fetched: AsyncGenerator<Block[]>;
  #last: { readonly number: number; readonly hash: Bytes } | undefined;
  #waiting: Block[] = [];

  constructor(fetched: AsyncGenerator<Block[]>, tip: { readonly number: number; readonly hash: Bytes } | undefined) {
    this.#fetched = fetched;
    this.#last = tip;
  }

  /** The next block, or undefined where the source ends or goes another way. */
  async peek(): Promise<Block | undefined> {
    if (this.#waiting.length === 0) {
      const { value } = await this.#fetched.next();
      this.#waiting = value ?? [];
    }
    const [block] = this.#waiting;
    return block !== undefined && this.#joins(block) ? block : undefined;
  }

  take(): void {
    this.#last = this.#waiting.shift()!.header;
  }

  #joins({ header }: Block): boolean {
    const last = this.#last;
    return last === undefined || (header.number === last.number + 1 && equalBytes(header.parentHash, last.hash));
  }
}

/** This close to the head every block is committed by itself. */
const HEAD_DISTANCE = 8;
/** What blocks turn into (transfers, balances, entries of lists) is in memory until the end of a transaction. */
export const BATCH_LIMITS = { blocks: 1024, bytes: 64 << 20, transfers: 100_000 };

/** Blocks handed to the store at once, and their bytes; until then they are held in memory. */
const PART_BLOCKS = 2;
const PART_BYTES = 4 << 20;

/** Decides when a transaction has grown enough: much at once while behind, every block by itself near the head. */
export class BatchSize {
  readonly #head: number;
  readonly #mostBlocks: number;
  #blocks = 0;
  #bytes = 0;
  #transfers = 0;
  #last = 0;
  #part = { blocks: 0, bytes: 0 };

  constructor(head: number, mostBlocks = BATCH_LIMITS.blocks) {
    this.#head = head;
    this.#mostBlocks = mostBlocks;
  }

  get blocks(): number {
    return this.#blocks;
  }

  get isEmpty(): boolean {
    return this.#blocks === 0;
  }

  get isFull(): boolean {
    if (this.isEmpty) return false;
    const isLarge = this.#bytes >= BATCH_LIMITS.bytes || this.#transfers >= BATCH_LIMITS.transfers;
    return this.#last > this.#head - HEAD_DISTANCE || this.#blocks >= this.#mostBlocks || isLarge;
  }

  beginPart(): void {
    this.#part = { blocks: 0, bytes: 0 };
  }

  get isPartEmpty(): boolean {
    return this.#part.blocks === 0;
  }

  get isPartFull(): boolean {
    return this.#part.blocks >= PART_BLOCKS || this.#part.bytes >= PART_BYTES;
  }

  count(block: Block): void {
    const bytes = weigh(block);
    this.#blocks++;
    this.#bytes += bytes;
    this.#transfers += mostTransfers(block.receipts);
    this.#last = block.header.number;
    this.#part.blocks++;
    this.#part.bytes += bytes;
  }
}

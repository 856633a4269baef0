import type { Block } from "../chain/block.ts";
import type { Bytes } from "../chain/bytes.ts";
import { equalBytes } from "../chain/bytes.ts";
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
const MOST_BLOCKS = 1024;
const MOST_BYTES = 64 << 20;

/** Decides when a transaction has grown enough: much at once while behind, every block by itself near the head. */
export class BatchSize {
  readonly #head: number;
  #blocks = 0;
  #bytes = 0;
  #last = 0;

  constructor(head: number) {
    this.#head = head;
  }

  get isEmpty(): boolean {
    return this.#blocks === 0;
  }

  get isFull(): boolean {
    if (this.isEmpty) return false;
    return this.#last > this.#head - HEAD_DISTANCE || this.#blocks >= MOST_BLOCKS || this.#bytes >= MOST_BYTES;
  }

  count(block: Block): void {
    this.#blocks++;
    this.#bytes += weigh(block);
    this.#last = block.header.number;
  }
}

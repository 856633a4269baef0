import type { MinedBlock } from "./block/minedBlock.ts";

/** LRU cache of blocks, limited by bytes. */
export class RecentBlocks {
  readonly #maxBytes: number;
  readonly #blocks = new Map<number, MinedBlock>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get(number: number): MinedBlock | undefined {
    const block = this.#blocks.get(number);
    if (block !== undefined) this.set(block);
    return block;
  }

  /** All of a range, or undefined. Leaves their order. */
  range(from: number, to: number): MinedBlock[] | undefined {
    const blocks: MinedBlock[] = [];
    for (let number = from; number <= to; number++) {
      const block = this.#blocks.get(number);
      if (block === undefined) return undefined;
      blocks.push(block);
    }
    return blocks;
  }

  set(block: MinedBlock): void {
    this.#drop(block.header.number);
    this.#blocks.set(block.header.number, block);
    this.#bytes += block.header.size;
    for (const oldest of this.#blocks.keys()) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#drop(oldest);
    }
  }

  clear(): void {
    this.#blocks.clear();
    this.#bytes = 0;
  }

  #drop(number: number): void {
    const block = this.#blocks.get(number);
    if (block === undefined) return;
    this.#blocks.delete(number);
    this.#bytes -= block.header.size;
  }
}

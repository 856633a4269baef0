import type { MinedBlock } from "./block/minedBlock.ts";

/** The blocks asked for last. */
export class RecentBlocks {
  readonly #size: number;
  readonly #blocks = new Map<number, MinedBlock>();

  constructor(size: number) {
    this.#size = size;
  }

  get(number: number): MinedBlock | undefined {
    const block = this.#blocks.get(number);
    if (block !== undefined) this.set(block);
    return block;
  }

  set(block: MinedBlock): void {
    const { number } = block.header;
    this.#blocks.delete(number);
    this.#blocks.set(number, block);
    if (this.#blocks.size <= this.#size) return;
    const [oldest] = this.#blocks.keys();
    this.#blocks.delete(oldest!);
  }

  clear(): void {
    this.#blocks.clear();
  }
}

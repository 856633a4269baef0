import type { Writer } from "../engine/database.ts";
import type { RunSizes } from "./keyTable.ts";
import { RUN_SIZES } from "./keyTable.ts";

interface MergedLater {
  /** Merges one piece. Returns whether there is more. */
  mergeOwed(writer: Writer): Promise<boolean>;
}

/** Merges of all key tables of a store that a commit had no room for. They are done between commits, a piece at a time. */
export class KeyMerges {
  readonly sizes: RunSizes;
  readonly #owing = new Set<MergedLater>();

  constructor(sizes = RUN_SIZES) {
    this.sizes = sizes;
  }

  get areOwed(): boolean {
    return this.#owing.size > 0;
  }

  owe(index: MergedLater): void {
    this.#owing.add(index);
  }

  async mergePiece(writer: Writer): Promise<void> {
    const [index] = this.#owing;
    if (index !== undefined && !(await index.mergeOwed(writer))) this.#owing.delete(index);
  }
}

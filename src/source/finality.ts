/** Safe or finalized height: the node's, or else by depth. Monotonic while the chain is. */
export class Settled {
  readonly #depth: number;
  #highest = 0;
  #isNamed = false;

  constructor(depth: number) {
    this.#depth = depth;
  }

  /** Once the node has named a block, depth is never used again. */
  at(head: number, named: number | undefined): number {
    if (named !== undefined) this.#isNamed = true;
    const height = named ?? (this.#isNamed ? 0 : head - this.#depth);
    this.#highest = Math.max(this.#highest, Math.min(height, head));
    return Math.min(this.#highest, head);
  }

  restart(): void {
    this.#highest = 0;
  }
}

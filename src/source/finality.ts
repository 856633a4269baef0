/** How far a chain is settled, as the node names it, or else by depth. It never goes back while the chain does not. */
export class Settled {
  readonly #depth: number;
  #highest = 0;
  #isNamed = false;

  constructor(depth: number) {
    this.#depth = depth;
  }

  /** A node that has named a block once is never guessed for again. */
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

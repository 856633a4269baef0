/** How far a chain is settled, by the node's word or else by depth. It never goes back while the chain does not. */
export class Settled {
  readonly #depth: number;
  #highest = 0;
  #isTold = false;

  constructor(depth: number) {
    this.#depth = depth;
  }

  /** A node that has named a block once is never guessed for again. */
  at(head: number, told: number | undefined): number {
    if (told !== undefined) this.#isTold = true;
    const height = told ?? (this.#isTold ? 0 : head - this.#depth);
    this.#highest = Math.max(this.#highest, Math.min(height, head));
    return Math.min(this.#highest, head);
  }

  restart(): void {
    this.#highest = 0;
  }
}

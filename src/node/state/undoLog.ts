import { defined } from "../../std/defined.ts";

/** Takes one change back. */
export type Undo = () => void;

/** How to take changes back, to any of the checkpoints that are open. */
export class UndoLog {
  #changes: Undo[] = [];
  #checkpoints: number[] = [];

  record(undo: Undo): void {
    this.#changes.push(undo);
  }

  open(): void {
    this.#checkpoints.push(this.#changes.length);
  }

  /** Closes the last checkpoint and keeps what changed since; answers whether none is open any more. */
  keep(): boolean {
    this.#checkpoints.pop();
    if (this.#checkpoints.length > 0) return false;
    this.#changes = [];
    return true;
  }

  /** Closes the last checkpoint and takes back what changed since; answers whether none is open any more. */
  takeBack(): boolean {
    const length = this.#checkpoints.pop() ?? 0;
    while (this.#changes.length > length) defined(this.#changes.pop())();
    return this.#checkpoints.length === 0;
  }

  clear(): void {
    this.#changes = [];
    this.#checkpoints = [];
  }
}

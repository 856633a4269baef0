import { defined } from "../../std/values.ts";

type Undo = () => void;

/** Undo log with nested checkpoints. */
export class UndoLog {
  #changes: Undo[] = [];
  #checkpoints: number[] = [];

  record(undo: Undo): void {
    this.#changes.push(undo);
  }

  open(): void {
    this.#checkpoints.push(this.#changes.length);
  }

  /** Commits the last checkpoint. Returns whether none is open. */
  keep(): boolean {
    this.#checkpoints.pop();
    if (this.#checkpoints.length > 0) return false;
    this.#changes = [];
    return true;
  }

  /** Reverts the last checkpoint. Returns whether none is open. */
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

/** Runs one task at a time, in FIFO order. */
export class Mutex {
  #last: Promise<void> = Promise.resolve();

  run<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    // Drops the result, which would otherwise be retained until the next task ends.
    this.#last = result.then(ended, ended);
    return result;
  }

  /** Resolves when all tasks queued so far have ended. */
  idle(): Promise<void> {
    return this.#last;
  }
}

function ended(): void {}

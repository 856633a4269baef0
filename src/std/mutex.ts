/** Lets one piece of work run at a time, in the order they came. */
export class Mutex {
  #last: Promise<void> = Promise.resolve();

  run<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    // A promise that had its value would hold that until the next work ends.
    this.#last = result.then(ended, ended);
    return result;
  }

  /** Settles when all work so far has ended. */
  idle(): Promise<void> {
    return this.#last;
  }
}

function ended(): void {}

import { withTimeout } from "./withTimeout.ts";

/** One point in time for everything that an answer waits for, however many parts it has; remembers whether a part was missing. */
export class Deadline {
  readonly #until: number;
  #isMissed = false;

  constructor(milliseconds: number) {
    this.#until = performance.now() + milliseconds;
  }

  /** Whether a part was missing, which a later answer may have. */
  get isMissed(): boolean {
    return this.#isMissed;
  }

  /** Records that a part is missing. */
  miss(): void {
    this.#isMissed = true;
  }

  /** The result of some work, or undefined if it is not there in time. The work goes on. */
  async wait<T extends object | string>(work: Promise<T | undefined>): Promise<T | undefined> {
    const done = await withTimeout(work, Math.max(this.#until - performance.now(), 0), () => undefined);
    if (done === undefined) this.miss();
    return done;
  }
}

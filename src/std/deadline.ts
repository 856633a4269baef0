import { withTimeout } from "./withTimeout.ts";

/** A single deadline shared by all parts of a response; records whether any part missed it. */
export class Deadline {
  readonly #until: number;
  #isMissed = false;

  constructor(milliseconds: number) {
    this.#until = performance.now() + milliseconds;
  }

  get isMissed(): boolean {
    return this.#isMissed;
  }

  miss(): void {
    this.#isMissed = true;
  }

  /** Resolves to undefined if the work does not settle in time. The work is not cancelled. */
  async wait<T extends object | string>(work: Promise<T | undefined>): Promise<T | undefined> {
    const done = await withTimeout(work, Math.max(this.#until - performance.now(), 0), () => undefined);
    if (done === undefined) this.miss();
    return done;
  }
}

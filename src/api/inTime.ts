/** What some work comes to, or undefined where it takes longer than that. It goes on all the same. */
export async function inTime<T>(work: Promise<T>, milliseconds: number): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => late.resolve(undefined), milliseconds);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** A moment until which all that an answer waits for has to be there, however much it is; and whether all of it was. */
export class Deadline {
  readonly #until: number;
  #isMissed = false;

  constructor(milliseconds: number) {
    this.#until = performance.now() + milliseconds;
  }

  /** Whether something that was asked for is not in the answer, and may be in the next. */
  get isMissed(): boolean {
    return this.#isMissed;
  }

  /** Something was not told. */
  miss(): void {
    this.#isMissed = true;
  }

  /** What some work comes to, or undefined where it is not there by then. It goes on all the same. */
  async wait<T extends object | string>(work: Promise<T | undefined>): Promise<T | undefined> {
    const done = await inTime(work, Math.max(this.#until - performance.now(), 0));
    if (done === undefined) this.miss();
    return done;
  }
}

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

/** A moment until which all that is waited for has to be there, however much it is. */
export class Deadline {
  readonly #until: number;

  constructor(milliseconds: number) {
    this.#until = performance.now() + milliseconds;
  }

  /** What some work comes to, or undefined where it is not there by then. It goes on all the same. */
  wait<T>(work: Promise<T>): Promise<T | undefined> {
    return inTime(work, Math.max(this.#until - performance.now(), 0));
  }
}

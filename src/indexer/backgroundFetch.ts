/** Milliseconds until a node that failed is asked again; longer each time. */
const PAUSE = { first: 100, longest: 60_000 };

/** What a node is asked for beside new blocks, which do not wait for it: one thing at a time, until somebody writes it. */
export class BackgroundFetch<T> {
  readonly #now: () => number;
  #flight: { readonly fetching: Promise<void>; fetched?: { readonly value: T } } | undefined;
  #listener: () => void = () => {};
  #failures = 0;
  #pausedUntil = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Tells when there is something to take. */
  watch(listener: () => void): void {
    this.#listener = listener;
  }

  /** Whether something is being fetched, or waits to be taken. */
  get isBusy(): boolean {
    return this.#flight !== undefined;
  }

  /** Whether something can be begun: nothing is under way, and a node that failed had its pause. */
  get isReady(): boolean {
    return !this.isBusy && this.#now() >= this.#pausedUntil;
  }

  /** Failures in a row. */
  get failures(): number {
    return this.#failures;
  }

  /** `fetching` never rejects. */
  begin(fetching: Promise<T>): void {
    const flight: { fetching: Promise<void>; fetched?: { readonly value: T } } = {
      fetching: fetching.then((value) => {
        flight.fetched = { value };
        this.#listener();
      }),
    };
    this.#flight = flight;
  }

  /** What was fetched, once. */
  take(): T | undefined {
    const fetched = this.#flight?.fetched;
    if (fetched !== undefined) this.#flight = undefined;
    return fetched?.value;
  }

  /** Waits until what is being fetched can be taken. */
  async settled(): Promise<void> {
    await this.#flight?.fetching;
  }

  fail(): void {
    this.#pausedUntil = this.#now() + Math.min(PAUSE.first * 2 ** this.#failures++, PAUSE.longest);
  }

  succeed(): void {
    this.#failures = 0;
  }
}

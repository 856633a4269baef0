/** Backoff in milliseconds after a failure; doubles. */
const PAUSE = { first: 100, longest: 60_000 };

/** One background request at a time, so that new blocks do not wait for it. The result is kept until it is taken. */
export class BackgroundFetch<T> {
  readonly #now: () => number;
  #flight: { readonly fetching: Promise<void>; fetched?: { readonly value: T } } | undefined;
  #listener: () => void = () => {};
  #failures = 0;
  #pausedUntil = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  watch(listener: () => void): void {
    this.#listener = listener;
  }

  get isBusy(): boolean {
    return this.#flight !== undefined;
  }

  /** Nothing is pending and the backoff has passed. */
  get isReady(): boolean {
    return !this.isBusy && this.#now() >= this.#pausedUntil;
  }

  get failures(): number {
    return this.#failures;
  }

  /** `fetching` must not reject. */
  begin(fetching: Promise<T>): void {
    const flight: { fetching: Promise<void>; fetched?: { readonly value: T } } = {
      fetching: fetching.then((value) => {
        flight.fetched = { value };
        this.#listener();
      }),
    };
    this.#flight = flight;
  }

  take(): T | undefined {
    const fetched = this.#flight?.fetched;
    if (fetched !== undefined) this.#flight = undefined;
    return fetched?.value;
  }

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

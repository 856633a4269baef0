import { setTimeout as delay } from "node:timers/promises";
import { ChainError } from "../../chain/error.ts";

/** Milliseconds of work at a time, and how many times as long it rests after. */
export const SLICE = 5;
export const REST = 9;

/** What holds a snapshot for so long without being idle gives it up, as the log of the database cannot be shortened meanwhile. */
const LONGEST_WAIT = 60_000;

/**
 * The time in which the indexer waits for a block. Whoever works in it asks for its turn often: it gets a tenth of the time, and
 * none while the indexer is busy.
 */
export class IdleTime {
  #idleUntil = 0;
  #opened = Promise.withResolvers<void>();
  #sliceBegan = 0;
  readonly #signal: AbortSignal;
  readonly #rest: number;

  /** After its work it rests `rest` times as long. */
  constructor(signal: AbortSignal, rest = REST) {
    this.#signal = signal;
    this.#rest = rest;
    signal.addEventListener("abort", () => this.#opened.resolve());
  }

  /** The indexer has nothing to do for some milliseconds, or until it hears of a block. */
  begin(milliseconds: number, news: AbortSignal): void {
    this.#idleUntil = performance.now() + milliseconds;
    news.addEventListener("abort", () => {
      this.#idleUntil = 0;
    });
    this.#opened.resolve();
  }

  /** Ends at once while the slice lasts; else after a rest, when the indexer is idle. Throws when there will be no more. */
  async turn(): Promise<void> {
    const worked = performance.now() - this.#sliceBegan;
    if (this.#isIdle && worked < SLICE) return;
    const waitsSince = performance.now();
    await delay(Math.min(worked, 10 * SLICE) * this.#rest, undefined, { signal: this.#signal }).catch(() => {});
    while (!this.#isIdle && !this.#signal.aborted) await this.#untilIdle();
    if (this.#signal.aborted) throw new ChainError("unsupported", "the indexer stops");
    this.#sliceBegan = performance.now();
    if (this.#sliceBegan - waitsSince > LONGEST_WAIT) throw new ChainError("store_locked", "the indexer was busy");
  }

  get #isIdle(): boolean {
    return performance.now() < this.#idleUntil;
  }

  async #untilIdle(): Promise<void> {
    if (this.#isIdle) return;
    this.#opened = Promise.withResolvers();
    await this.#opened.promise;
  }
}

import { setTimeout as delay } from "node:timers/promises";
import { ChainError } from "../../chain/error.ts";

/** Milliseconds of work at a time, and how many times as long it rests after. */
export const SLICE = 5;
export const REST = 9;

/** Whoever waits longer than this gives up its snapshot: a database cannot shorten its log while one is open. */
export const MAX_WAIT = 10_000;

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
  readonly #longestWait: number;

  /** After its work it rests `rest` times as long. */
  constructor(signal: AbortSignal, rest = REST, longestWait = MAX_WAIT) {
    this.#signal = signal;
    this.#rest = rest;
    this.#longestWait = longestWait;
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
    const hasBegun = this.#sliceBegan > 0;
    if (hasBegun) await delay(worked * this.#rest, undefined, { signal: this.#signal }).catch(() => {});
    const until = performance.now() + this.#longestWait;
    while (!this.#isIdle && !this.#signal.aborted) {
      if (performance.now() >= until) throw new ChainError("store_locked", "the indexer was busy");
      await this.#untilIdle(until - performance.now());
    }
    if (this.#signal.aborted) throw new ChainError("unsupported", "the indexer stops");
    this.#sliceBegan = performance.now();
  }

  get #isIdle(): boolean {
    return performance.now() < this.#idleUntil;
  }

  async #untilIdle(milliseconds: number): Promise<void> {
    this.#opened = Promise.withResolvers();
    const late = setTimeout(this.#opened.resolve, milliseconds).unref();
    await this.#opened.promise;
    clearTimeout(late);
  }
}

import { setTimeout as delay } from "node:timers/promises";
import { ChainError } from "../../chain/error.ts";

/** Milliseconds of work per slice, and the multiple of it to rest. */
export const SLICE = 5;
export const REST = 199;

/** Milliseconds. A statement may take long, and PostgreSQL ends transactions that are idle for 30 seconds. */
const MAX_REST = 5000;

/** Milliseconds. A longer wait would hold a snapshot, which keeps the WAL from being checkpointed. */
const MAX_WAIT = 10_000;

/** Schedules background work into idle time of the indexer: half a percent of it, and none while the indexer is busy. */
export class IdleTime {
  #idleUntil = 0;
  #opened = Promise.withResolvers<void>();
  #sliceBegan = 0;
  readonly #signal: AbortSignal;
  readonly #rest: number;
  readonly #maxWait: number;

  /** Rests `rest` times as long as it worked. */
  constructor(signal: AbortSignal, rest = REST, maxWait = MAX_WAIT) {
    this.#signal = signal;
    this.#rest = rest;
    this.#maxWait = maxWait;
    signal.addEventListener("abort", () => this.#opened.resolve());
  }

  /** The indexer is idle for some milliseconds, or until a block is announced. */
  begin(milliseconds: number, wakeUp: AbortSignal): void {
    this.#idleUntil = performance.now() + milliseconds;
    wakeUp.addEventListener("abort", () => {
      this.#idleUntil = 0;
    });
    this.#opened.resolve();
  }

  /** Returns at once within the slice; otherwise rests until the indexer is idle. Throws after the last turn. */
  async turn(): Promise<void> {
    const worked = performance.now() - this.#sliceBegan;
    if (this.#isIdle && worked < SLICE) return;
    const hasBegun = this.#sliceBegan > 0;
    const rest = Math.min(worked * this.#rest, MAX_REST);
    if (hasBegun) await delay(rest, undefined, { signal: this.#signal }).catch(() => {});
    const until = performance.now() + this.#maxWait;
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

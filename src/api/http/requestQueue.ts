import { HttpError } from "./failure.ts";
import { COSTS } from "./rateLimit.ts";

/** Maximum expected wait in milliseconds; longer waits are rejected at once. */
export const MAX_WAIT = { light: 200, heavy: 1000 } as const;

/** Always admitted: a page that sends some dozens of requests is no overload. */
export const MIN_WAITING = 64;

/** Light requests started per turn of the event loop, in addition to one heavy request. */
const LIGHT_PER_TURN = 16;

/** Milliseconds per turn above which heavy requests run one at a time. */
const SLOW_TURN = 50;

/** Milliseconds of socket polling after a heavy request. */
const MAX_POLLING = 10;

/** Seconds. */
export const RETRY_AFTER = "1";

interface Lane {
  readonly waiting: (() => void)[];
  /** Milliseconds between starts while requests wait. */
  pace: number;
  lastBegan: number;
}

const emptyLane = (pace: number): Lane => ({ waiting: [], pace, lastBegan: 0 });

/**
 * Spreads requests over turns of the event loop, with socket reads in between, so that cheap requests do not wait for
 * expensive ones. Rejects a request at once if it would wait too long.
 */
export class RequestQueue {
  readonly #light = emptyLane(0.5);
  readonly #heavy = emptyLane(2);
  #isScheduled = false;
  #turnBegan = 0;
  /** Whether anything arrived since the last turn. */
  #hasArrivals = false;
  /** Start of the current polling phase. */
  #pollingSince: number | undefined;
  /** Heavy requests in progress. */
  #running = 0;
  #refused = 0;

  /** Total rejected. */
  get refused(): number {
    return this.#refused;
  }

  /** Whether a request of this cost would wait too long. */
  isFull(cost: number): boolean {
    const [lane, maxWait] = cost < COSTS.list ? [this.#light, MAX_WAIT.light] : [this.#heavy, MAX_WAIT.heavy];
    return lane.waiting.length >= MIN_WAITING && lane.waiting.length * lane.pace > maxWait;
  }

  /** Node accepts one connection per turn, so a burst takes many turns. */
  noteArrival(): void {
    this.#hasArrivals = true;
  }

  countRefusal(): void {
    this.#refused++;
  }

  /** Runs the work in its turn. */
  async run<T>(cost: number, work: () => Promise<T>): Promise<T> {
    if (this.isFull(cost)) {
      this.countRefusal();
      throw new HttpError(503, { "retry-after": RETRY_AFTER });
    }
    if (cost < COSTS.list) {
      await this.#enter(this.#light);
      return work();
    }
    await this.#enter(this.#heavy);
    this.#running++;
    try {
      return await work();
    } finally {
      this.#running--;
    }
  }

  #enter(lane: Lane): Promise<void> | undefined {
    // The first request of a turn does not wait.
    if (!this.#isScheduled) {
      this.#schedule();
      return undefined;
    }
    if (lane.waiting.length === 0) lane.lastBegan = performance.now();
    const { promise, resolve } = Promise.withResolvers<void>();
    lane.waiting.push(resolve);
    return promise;
  }

  #schedule(): void {
    this.#isScheduled = true;
    this.#turnBegan = performance.now();
    setImmediate(() => this.#beginNext());
  }

  #beginNext(): void {
    this.#isScheduled = false;
    const now = performance.now();
    const isSlow = now - this.#turnBegan > SLOW_TURN && this.#running > 0;
    begin(this.#light, LIGHT_PER_TURN, now);
    if (!isSlow && !this.#isPolling(now)) {
      begin(this.#heavy, 1, now);
      this.#pollingSince = undefined;
    }
    if (this.#light.waiting.length + this.#heavy.waiting.length > 0) this.#schedule();
  }

  #isPolling(now: number): boolean {
    this.#pollingSince ??= now;
    const hasArrivals = this.#hasArrivals;
    this.#hasArrivals = false;
    return hasArrivals && now - this.#pollingSince < MAX_POLLING;
  }
}

/** Exponential average over about ten requests. */
const SMOOTHING = 0.1;

function begin(lane: Lane, count: number, now: number): void {
  const next = lane.waiting.splice(0, count);
  if (next.length === 0) return;
  lane.pace += SMOOTHING * ((now - lane.lastBegan) / next.length - lane.pace);
  lane.lastBegan = now;
  for (const resolve of next) resolve();
}

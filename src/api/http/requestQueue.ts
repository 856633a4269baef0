import { HttpError } from "./failure.ts";
import { COSTS } from "./rateLimit.ts";

/** Milliseconds that a request may have to wait for those before it; who would wait longer is refused at once. */
export const MAX_WAIT = { light: 200, heavy: 1000 } as const;

/** Requests that may wait however long they take: a page or a program that sends some dozens at once is no overload. */
export const MIN_WAITING = 64;

/** Light requests that begin in one turn of the event loop, beside one that is heavy. */
const LIGHT_PER_TURN = 16;

/** Milliseconds of a turn above which no other heavy request begins until one has ended. */
const SLOW_TURN = 50;

/** Milliseconds after a heavy request for which sockets are read, as long as there is something to read. */
const MAX_POLLING = 10;

/** Seconds after which a refused client may ask again. */
export const RETRY_AFTER = "1";

interface Lane {
  readonly waiting: (() => void)[];
  /** Milliseconds between the beginnings of two requests, while some wait. */
  pace: number;
  lastBegan: number;
}

const emptyLane = (pace: number): Lane => ({ waiting: [], pace, lastBegan: 0 });

/**
 * Spreads the making of responses over turns of the event loop, so that whoever is cheap to answer does not wait for all who
 * are not: sockets are read between any two of them. Whoever would wait too long is refused at once instead of answered late.
 */
export class RequestQueue {
  readonly #light = emptyLane(0.5);
  readonly #heavy = emptyLane(2);
  #isScheduled = false;
  #turnBegan = 0;
  /** Whether a connection or a request came in since the last turn. */
  #hasArrivals = false;
  /** When the last heavy request gave way. */
  #pollingSince: number | undefined;
  /** Heavy requests that have begun and not ended. */
  #running = 0;
  #refused = 0;

  /** Requests that were refused so far. */
  get refused(): number {
    return this.#refused;
  }

  /** Whether a request of this cost would wait too long. */
  isFull(cost: number): boolean {
    const [lane, maxWait] = cost < COSTS.list ? [this.#light, MAX_WAIT.light] : [this.#heavy, MAX_WAIT.heavy];
    return lane.waiting.length >= MIN_WAITING && lane.waiting.length * lane.pace > maxWait;
  }

  /** Learns of a connection or a request. The event loop accepts one connection in a turn, so that a burst needs many. */
  noteArrival(): void {
    this.#hasArrivals = true;
  }

  countRefusal(): void {
    this.#refused++;
  }

  /** Does the work of a request of this cost when its turn comes. */
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
    // The first of a turn has nobody to wait for.
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

/** The pace follows the mean of about the last ten requests. */
const SMOOTHING = 0.1;

function begin(lane: Lane, count: number, now: number): void {
  const next = lane.waiting.splice(0, count);
  if (next.length === 0) return;
  lane.pace += SMOOTHING * ((now - lane.lastBegan) / next.length - lane.pace);
  lane.lastBegan = now;
  for (const resolve of next) resolve();
}

/** Last second of the year 9999. */
export const LATEST = 253_402_300_799;

interface ClockState {
  readonly offset: number;
  readonly next: number | undefined;
  readonly distance: number | undefined;
}

/** Clamped to the year 9999. */
export function timeAfter(parent: number, seconds: number): number {
  return Math.max(parent + 1, Math.min(parent + seconds, LATEST));
}

/** Block time in seconds: machine time shifted by development methods. */
export class Clock {
  readonly #now: () => number;
  #offset = 0;
  #next: number | undefined;
  #distance: number | undefined;

  constructor(now: () => number = () => Math.floor(Date.now() / 1000)) {
    this.#now = now;
  }

  /** Time of the next block. Blocks within a second share it, so that time never runs ahead. */
  peek(parent: number): number {
    if (this.#next !== undefined) return this.#next;
    if (this.#distance === undefined) return Math.max(parent, this.#now() + this.#offset);
    return timeAfter(parent, this.#distance);
  }

  /** Like `peek`, consuming a time that was set for one block. */
  take(parent: number): number {
    const time = this.peek(parent);
    if (this.#next !== undefined || this.#distance !== undefined) this.#offset = time - this.#now();
    this.#next = undefined;
    return time;
  }

  setNext(time: number): void {
    this.#next = time;
  }

  /** Fixed distance between blocks; undefined disables it. */
  keepDistance(seconds: number | undefined): void {
    this.#distance = seconds;
  }

  /** Returns the total offset. */
  increase(seconds: number, parent: number): number {
    // Rapid blocks may be ahead of machine time.
    this.#offset = Math.max(this.#offset, parent - this.#now()) + seconds;
    return this.#offset;
  }

  set(time: number): void {
    this.#offset = time - this.#now();
  }

  get state(): ClockState {
    return { offset: this.#offset, next: this.#next, distance: this.#distance };
  }

  reset(): void {
    this.restore({ offset: 0, next: undefined, distance: undefined });
  }

  restore({ offset, next, distance }: ClockState): void {
    this.#offset = offset;
    this.#next = next;
    this.#distance = distance;
  }
}

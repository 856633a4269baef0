/** The last second of the year 9999: what comes later has no date. */
export const LATEST = 253_402_300_799;

interface ClockState {
  readonly offset: number;
  readonly next: number | undefined;
  readonly distance: number | undefined;
}

/** The time of a block some seconds after its parent. What has no date comes a second after it at most. */
export function timeAfter(parent: number, seconds: number): number {
  return Math.max(parent + 1, Math.min(parent + seconds, LATEST));
}

/** The time of blocks: that of the machine, moved as the development methods ask. In seconds. */
export class Clock {
  readonly #now: () => number;
  #offset = 0;
  #next: number | undefined;
  #distance: number | undefined;

  constructor(now: () => number = () => Math.floor(Date.now() / 1000)) {
    this.#now = now;
  }

  /** The time of a block after one of `parent`. Blocks of the same second share it, so that time never runs ahead. */
  peek(parent: number): number {
    if (this.#next !== undefined) return this.#next;
    if (this.#distance === undefined) return Math.max(parent, this.#now() + this.#offset);
    return timeAfter(parent, this.#distance);
  }

  /** As `peek`, for a block that is made: a time that was set holds for one block, and time goes on from there. */
  take(parent: number): number {
    const time = this.peek(parent);
    if (this.#next !== undefined || this.#distance !== undefined) this.#offset = time - this.#now();
    this.#next = undefined;
    return time;
  }

  setNext(time: number): void {
    this.#next = time;
  }

  /** Lets every later block be so many seconds after the one before it, whatever the time is; or no longer. */
  keepDistance(seconds: number | undefined): void {
    this.#distance = seconds;
  }

  /** Lets a block after one of `parent` be some seconds later; answers by how many the time is moved in all. */
  increase(seconds: number, parent: number): number {
    // Blocks that follow each other at once are ahead of the machine's time.
    this.#offset = Math.max(this.#offset, parent - this.#now()) + seconds;
    return this.#offset;
  }

  /** Makes `time` the present. */
  set(time: number): void {
    this.#offset = time - this.#now();
  }

  get state(): ClockState {
    return { offset: this.#offset, next: this.#next, distance: this.#distance };
  }

  /** Back to the machine's own time. */
  reset(): void {
    this.restore({ offset: 0, next: undefined, distance: undefined });
  }

  restore({ offset, next, distance }: ClockState): void {
    this.#offset = offset;
    this.#next = next;
    this.#distance = distance;
  }
}

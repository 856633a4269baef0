/** Milliseconds between rechecks of a distrusted node; doubles. */
export const RECHECK = { first: 1000, longest: 30_000 };

/** Milliseconds without false data after which the backoff resets. */
const PROBATION = 60_000;

interface Fault {
  readonly reason: string;
  hasRecovered(): Promise<boolean>;
  nextCheck: number;
}

export class Trust {
  /** Receives the reason when trust is lost, undefined when it is restored. */
  onChange: ((reason: string | undefined) => void) | undefined;
  #fault: Fault | undefined;
  #reported: string | undefined;
  #faults = 0;
  #blamedAt = Number.NEGATIVE_INFINITY;

  /** Undefined while the node is trusted. */
  get problem(): string | undefined {
    return this.#fault?.reason ?? this.#reported;
  }

  /** Takes over the verdict of another pool. */
  report(reason: string | undefined): void {
    this.#reported = reason;
  }

  /**
   * Distrusts the node until `isOver` holds, which is polled. The first reason decides: an honest answer to a later
   * call does not clear it.
   */
  blame(reason: string, isOver: () => Promise<boolean>): void {
    const now = performance.now();
    const isFirst = this.#fault === undefined;
    if (isFirst) this.#faults = now - this.#blamedAt > PROBATION ? 1 : this.#faults + 1;
    this.#blamedAt = now;
    const nextCheck = now + Math.min(RECHECK.first * 2 ** (this.#faults - 1), RECHECK.longest);
    this.#fault = { ...(this.#fault ?? { reason, hasRecovered: isOver }), nextCheck };
    if (isFirst) this.onChange?.(reason);
  }

  async recheck(): Promise<void> {
    const fault = this.#fault;
    if (fault === undefined || performance.now() < fault.nextCheck) return;
    fault.nextCheck = Number.POSITIVE_INFINITY;
    const isOver = await fault.hasRecovered().catch(() => false);
    fault.nextCheck = performance.now() + Math.min(RECHECK.first * 2 ** this.#faults, RECHECK.longest);
    if (!isOver || this.#fault !== fault) return;
    this.#fault = undefined;
    this.onChange?.(undefined);
  }
}

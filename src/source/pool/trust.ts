/** Milliseconds after which a node that gave false data is asked again whether it still does: longer each time. */
export const RECHECK = { first: 1000, longest: 30_000 };

/** Milliseconds without false data after which the next time counts as the first. */
const PROBATION = 60_000;

/** Why a node is not believed, and what shows that it may be again. */
interface Fault {
  readonly reason: string;
  isOver(): Promise<boolean>;
  nextCheck: number;
}

/** Whether what a node says is believed. */
export class Trust {
  /** Learns why the node is no longer believed, and that it is again. */
  onChange: ((reason: string | undefined) => void) | undefined;
  #fault: Fault | undefined;
  #reported: string | undefined;
  #faults = 0;
  #blamedAt = Number.NEGATIVE_INFINITY;

  /** Why the node is not believed; undefined while it is. */
  get problem(): string | undefined {
    return this.#fault?.reason ?? this.#reported;
  }

  /** What another pool of the same nodes has found, or that it is over. */
  report(reason: string | undefined): void {
    this.#reported = reason;
  }

  /**
   * What the node said is proven false. It is not believed until `isOver` holds, which is tried from time to time. What it is
   * blamed for first decides: an honest answer to a later call does not make that true.
   */
  blame(reason: string, isOver: () => Promise<boolean>): void {
    const now = performance.now();
    const isFirst = this.#fault === undefined;
    if (isFirst) this.#faults = now - this.#blamedAt > PROBATION ? 1 : this.#faults + 1;
    this.#blamedAt = now;
    const nextCheck = now + Math.min(RECHECK.first * 2 ** (this.#faults - 1), RECHECK.longest);
    this.#fault = { ...(this.#fault ?? { reason, isOver }), nextCheck };
    if (isFirst) this.onChange?.(reason);
  }

  /** Tries whether the node is well again, if that is due; never throws. */
  async recheck(): Promise<void> {
    const fault = this.#fault;
    if (fault === undefined || performance.now() < fault.nextCheck) return;
    fault.nextCheck = Number.POSITIVE_INFINITY;
    const isOver = await fault.isOver().catch(() => false);
    fault.nextCheck = performance.now() + Math.min(RECHECK.first * 2 ** this.#faults, RECHECK.longest);
    if (!isOver || this.#fault !== fault) return;
    this.#fault = undefined;
    this.onChange?.(undefined);
  }
}

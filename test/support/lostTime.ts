/**
 * Time in which the machine was busy with other things: the excess of a probe that is repeated all the time and takes a known
 * time on an idle machine. Waits less this time are bounded on a busy machine too.
 */
export class LostTime {
  /** Longest excess of one probe in milliseconds. */
  longest = 0;
  readonly #probe: () => Promise<unknown>;
  readonly #usual: number;
  #began = Number.POSITIVE_INFINITY;
  readonly #lost: { readonly at: number; readonly milliseconds: number }[] = [];

  constructor(probe: () => Promise<unknown>, usual: number) {
    this.#probe = probe;
    this.#usual = usual;
  }

  async measure(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#began = performance.now();
      await this.#probe();
      const at = performance.now();
      const milliseconds = at - this.#began - this.#usual;
      this.longest = Math.max(this.longest, milliseconds);
      if (milliseconds > 0) this.#lost.push({ at, milliseconds });
    }
  }

  /** Milliseconds lost since a time, by a probe that is not over yet too. */
  since(time: number): number {
    let sum = Math.max(0, performance.now() - this.#began - this.#usual);
    for (let index = this.#lost.length - 1; index >= 0; index--) {
      const { at, milliseconds } = this.#lost[index]!;
      if (at < time) break;
      sum += milliseconds;
    }
    return sum;
  }
}

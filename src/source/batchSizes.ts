const TARGET_BYTES = 1 << 20;
const MAX_CALLS = 100;
const UNKNOWN_BYTES = 1 << 16;
/** Responses after which a refused batch size is tried again. */
const ANSWERS_BEFORE_GROWTH = 64;

/** Adapts the number of calls per request to the sizes of previous responses. */
export class BatchSizes {
  readonly #bytesPerCall = new Map<string, number>();
  #limit = MAX_CALLS;
  #answers = 0;

  next(kind: string, wanted: number): number {
    const perCall = this.#bytesPerCall.get(kind) ?? UNKNOWN_BYTES;
    return Math.max(1, Math.min(wanted, this.#limit, Math.floor(TARGET_BYTES / perCall)));
  }

  learn(kind: string, calls: number, bytes: number): void {
    this.#bytesPerCall.set(kind, smoothed(this.#bytesPerCall.get(kind), bytes / calls));
    this.#answers++;
    if (this.#answers < ANSWERS_BEFORE_GROWTH) return;
    this.#answers = 0;
    this.#limit = Math.min(MAX_CALLS, this.#limit * 2);
  }

  refuse(calls: number): void {
    this.#limit = Math.max(1, Math.min(this.#limit, calls >> 1));
    this.#answers = 0;
  }
}

/** Rises at once and falls slowly: too large a response costs more than too small a one. */
export function smoothed(known: number | undefined, last: number): number {
  if (known === undefined) return Math.max(1, last);
  return Math.max(1, last, known * 0.75 + last * 0.25);
}

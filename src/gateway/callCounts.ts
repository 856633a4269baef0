import type { CallCount } from "../jsonrpc/backend.ts";

/** Bounds the label values: operators may allow more methods, and trusted callers may name any. */
const MAX_METHODS = 500;

export class CallCounts {
  readonly #counts = new Map<string, CallCount & { count: number }>();

  get all(): readonly CallCount[] {
    return [...this.#counts.values()];
  }

  add(method: string, place: string, outcome: CallCount["outcome"]): void {
    const key = `${method} ${place} ${outcome}`;
    const known = this.#counts.get(key);
    if (known !== undefined) known.count++;
    else if (this.#counts.size < MAX_METHODS) this.#counts.set(key, { method, place, outcome, count: 1 });
  }
}

import { setImmediate as yieldToEventLoop } from "node:timers/promises";

/** Milliseconds of work between yields. */
const MAX_TURN = 10;

/** Yields to the event loop between parts of long work. */
export class Turn {
  #began = performance.now();

  async yieldToEventLoop(): Promise<void> {
    if (performance.now() - this.#began < MAX_TURN) return;
    await yieldToEventLoop();
    this.#began = performance.now();
  }
}

/** Array.map that yields to the event loop. */
export async function mapInTurns<T, R>(items: readonly T[], map: (item: T, at: number) => R): Promise<R[]> {
  const turn = new Turn();
  const results: R[] = [];
  for (const [at, item] of items.entries()) {
    results.push(map(item, at));
    await turn.yieldToEventLoop();
  }
  return results;
}

/** Array.filter that yields to the event loop. */
export async function filterInTurns<T>(items: readonly T[], isWanted: (item: T) => boolean): Promise<T[]> {
  const turn = new Turn();
  const wanted: T[] = [];
  for (const item of items) {
    if (isWanted(item)) wanted.push(item);
    await turn.yieldToEventLoop();
  }
  return wanted;
}

const BATCH_SIZE = 1000;

/** Stable sort that yields to the event loop. */
export async function sortInTurns<T>(items: readonly T[], compare: (one: T, other: T) => number): Promise<T[]> {
  const turn = new Turn();
  let runs: T[][] = [];
  for (let at = 0; at < items.length; at += BATCH_SIZE) {
    runs.push(items.slice(at, at + BATCH_SIZE).sort(compare));
    await turn.yieldToEventLoop();
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let at = 0; at < runs.length; at += 2) merged.push(await merge(runs[at]!, runs[at + 1] ?? [], compare, turn));
    runs = merged;
  }
  return runs[0] ?? [];
}

async function merge<T>(
  first: readonly T[],
  second: readonly T[],
  compare: (one: T, other: T) => number,
  turn: Turn,
): Promise<T[]> {
  const merged: T[] = [];
  let [at, other] = [0, 0];
  while (at < first.length || other < second.length) {
    const isFirst = other === second.length || (at < first.length && compare(first[at]!, second[other]!) <= 0);
    merged.push(isFirst ? first[at++]! : second[other++]!);
    if (merged.length % BATCH_SIZE === 0) await turn.yieldToEventLoop();
  }
  return merged;
}

/**
 * Calls `onTimeout` when time is up, and returns a function that cancels it. Timers run before I/O: after a stall of the event
 * loop, responses that have arrived are read first.
 */
export function startTimeout(milliseconds: number, onTimeout: () => void): () => void {
  let pending: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => {
    pending = setImmediate(onTimeout);
  }, milliseconds);
  return () => {
    clearTimeout(timer);
    clearImmediate(pending);
  };
}

/** Calls `onTimeout` when time is up. The work is not cancelled. */
export async function withTimeout<T, L>(work: Promise<T>, milliseconds: number, onTimeout: () => L): Promise<T | L> {
  const late = Promise.withResolvers<void>();
  const cancel = startTimeout(milliseconds, late.resolve);
  try {
    return await Promise.race([work, late.promise.then(onTimeout)]);
  } finally {
    cancel();
  }
}

/** A single deadline shared by all parts of a response; records whether any part missed it. */
export class Deadline {
  readonly #until: number;
  #isMissed = false;

  constructor(milliseconds: number) {
    this.#until = performance.now() + milliseconds;
  }

  get isMissed(): boolean {
    return this.#isMissed;
  }

  miss(): void {
    this.#isMissed = true;
  }

  /** Resolves to undefined if the work does not settle in time. The work is not cancelled. */
  async wait<T extends object | string>(work: Promise<T | undefined>): Promise<T | undefined> {
    const done = await withTimeout(work, Math.max(this.#until - performance.now(), 0), () => undefined);
    if (done === undefined) this.miss();
    return done;
  }
}

/** Waits for all of them even if one fails, so that none goes on after the failure is thrown. */
export async function settleAll<T extends readonly unknown[]>(
  works: readonly [...{ [K in keyof T]: Promise<T[K]> }],
): Promise<T> {
  const settled = await Promise.allSettled(works);
  for (const one of settled) if (one.status === "rejected") throw one.reason;
  return settled.map((one) => (one as PromiseFulfilledResult<unknown>).value) as unknown as T;
}

/** Runs one task at a time, in FIFO order. */
export class Mutex {
  #last: Promise<void> = Promise.resolve();

  run<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    // Drops the result, which would otherwise be retained until the next task ends.
    this.#last = result.then(ended, ended);
    return result;
  }

  /** Resolves when all tasks queued so far have ended. */
  idle(): Promise<void> {
    return this.#last;
  }
}

function ended(): void {}

import { setImmediate as others } from "node:timers/promises";

/** Milliseconds of work between yields. */
const MAX_TURN = 10;

/** Yields to the event loop between parts of long work. */
export class Turn {
  #began = performance.now();

  async yieldToEventLoop(): Promise<void> {
    if (performance.now() - this.#began < MAX_TURN) return;
    await others();
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

import { setImmediate as others } from "node:timers/promises";

/** Milliseconds that a piece of work goes on before others have their turn. */
const MAX_TURN = 10;

/** Lets others have their turn in the midst of long work, which asks for that between its parts. */
export class Turn {
  #began = performance.now();

  async yieldToEventLoop(): Promise<void> {
    if (performance.now() - this.#began < MAX_TURN) return;
    await others();
    this.#began = performance.now();
  }
}

/** Maps items, and lets others have their turn where that takes long. */
export async function mapInTurns<T, R>(items: readonly T[], map: (item: T, at: number) => R): Promise<R[]> {
  const turn = new Turn();
  const results: R[] = [];
  for (const [at, item] of items.entries()) {
    results.push(map(item, at));
    await turn.yieldToEventLoop();
  }
  return results;
}

import { setImmediate as others } from "node:timers/promises";

/** Milliseconds that a piece of work goes on before others have their turn. */
const LONGEST_TURN = 10;

/** Lets others have their turn in the midst of long work, which asks for that between its parts. */
export class Turn {
  #began = performance.now();

  async giveWay(): Promise<void> {
    if (performance.now() - this.#began < LONGEST_TURN) return;
    await others();
    this.#began = performance.now();
  }
}

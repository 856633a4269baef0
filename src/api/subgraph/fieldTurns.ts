import { setImmediate as nextTurn } from "node:timers/promises";

/** Fields that are answered in a turn of the event loop, about 10 ms of work. */
const MAX_FIELDS = 2000;

/**
 * Turns of the event loop that all lists of a request share. GraphQL answers all fields of a list at once, except those
 * of items that are promised for later turns.
 */
export class FieldTurns {
  #fields = 0;
  #turn: Promise<unknown> | undefined;

  /** Each item has so many fields. */
  spread<T>(items: readonly T[], fields: number): readonly (T | Promise<T>)[] {
    return items.map((item) => {
      this.#fields += fields;
      if (this.#fields > MAX_FIELDS) {
        this.#fields = fields;
        this.#turn = (this.#turn ?? Promise.resolve()).then(() => nextTurn());
      }
      return this.#turn === undefined ? item : this.#turn.then(() => item);
    });
  }
}

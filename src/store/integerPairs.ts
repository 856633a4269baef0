import type { Row } from "./engine/engine.ts";

/** Rows of two integers, sixteen bytes each until they are written. */
export class IntegerPairs {
  #values = new Float64Array(256);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(first: number, second: number): void {
    const at = this.#length * 2;
    if (at === this.#values.length) {
      const grown = new Float64Array(at * 2);
      grown.set(this.#values);
      this.#values = grown;
    }
    this.#values[at] = first;
    this.#values[at + 1] = second;
    this.#length++;
  }

  /** The rows by their first integer, and by their second where the first is the same. */
  *sorted(): Iterable<Row> {
    const values = this.#values;
    const order = new Uint32Array(this.#length).map((_, at) => at);
    order.sort((a, b) => values[a * 2]! - values[b * 2]! || values[a * 2 + 1]! - values[b * 2 + 1]!);
    for (const at of order) yield [values[at * 2]!, values[at * 2 + 1]!];
  }
}

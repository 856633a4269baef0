import type { Row } from "../engine/database.ts";
import { IntegerPairs } from "../rows/integerPairs.ts";

/** Values by key and, in a table that has them, their fingerprints. */
export class KeyEntries extends IntegerPairs {
  #fingerprints = new Float64Array(0);

  override add(key: number, value: number, fingerprint = 0): void {
    const at = this.length;
    super.add(key, value);
    if (fingerprint === 0) return;
    if (at >= this.#fingerprints.length) this.#grow(Math.max(256, 2 * at));
    this.#fingerprints[at] = fingerprint;
  }

  fingerprint(at: number): number {
    return this.#fingerprints[at] ?? 0;
  }

  /** Of the table of rows, in its order. */
  *rows(hasFingerprints: boolean): Iterable<Row> {
    for (const at of this.sortedOrder()) {
      const row = [this.first(at), this.second(at)];
      if (hasFingerprints) row.push(this.fingerprint(at));
      yield row;
    }
  }

  #grow(length: number): void {
    const grown = new Float64Array(length);
    grown.set(this.#fingerprints);
    this.#fingerprints = grown;
  }
}

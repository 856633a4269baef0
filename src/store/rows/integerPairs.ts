/** Few buckets, so that small sorts are cheap. */
const DIGIT_BITS = 11;
const DIGITS = 1 << DIGIT_BITS;

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

  first(at: number): number {
    return this.#values[at * 2]!;
  }

  second(at: number): number {
    return this.#values[at * 2 + 1]!;
  }

  /** Bounds of the second integers; at least one pair. */
  seconds(): { lowest: number; highest: number } {
    let [lowest, highest] = [this.second(0), this.second(0)];
    for (let at = 1; at < this.#length; at++) {
      lowest = Math.min(lowest, this.second(at));
      highest = Math.max(highest, this.second(at));
    }
    return { lowest, highest };
  }

  /** Indexes of the pairs by all of their first integer, stable. */
  sortedOrder(): Uint32Array {
    const order = this.leadingOrder();
    for (let at = 1; at < order.length; at++) {
      const own = order[at]!;
      const first = this.first(own);
      let to = at;
      for (; to > 0 && this.first(order[to - 1]!) > first; to--) order[to] = order[to - 1]!;
      order[to] = own;
    }
    return order;
  }

  /** In `leadingOrder`. */
  *sorted(): Iterable<[number, number]> {
    const values = this.#values;
    for (const at of this.leadingOrder()) yield [values[at * 2]!, values[at * 2 + 1]!];
  }

  /**
   * Radix sort by the first 32 bits of the first integer, stable. Enough order to write a B-tree leaf by leaf, in three
   * passes.
   */
  leadingOrder(): Uint32Array {
    const unit = this.#unit();
    const keys = new Uint32Array(this.#length);
    for (let at = 0; at < keys.length; at++) keys[at] = Math.floor(this.#values[at * 2]! / unit);
    let order: Uint32Array = new Uint32Array(this.#length).map((_, at) => at);
    for (let shift = 0; shift < 32; shift += DIGIT_BITS) order = byDigit(keys, order, shift);
    return order;
  }

  #unit(): number {
    let max = 0;
    for (let at = 0; at < this.#length; at++) max = Math.max(max, this.#values[at * 2]!);
    let unit = 1;
    while (max / unit >= 2 ** 32) unit *= 2;
    return unit;
  }
}

function byDigit(keys: Uint32Array, order: Uint32Array, shift: number): Uint32Array {
  const digit = (at: number) => (keys[at]! >>> shift) & (DIGITS - 1);
  const starts = new Uint32Array(DIGITS + 1);
  for (const at of order) starts[digit(at) + 1]!++;
  for (let value = 0; value < DIGITS; value++) starts[value + 1]! += starts[value]!;
  const sorted = new Uint32Array(order.length);
  for (const at of order) sorted[starts[digit(at)]!++] = at;
  return sorted;
}

export interface MapBounds<V> {
  readonly maxEntries: number;
  readonly maxSize: number;
  readonly sizeOf: (value: V) => number;
}

/** An insertion-ordered map with bounds on the number of entries and on their total size; evicts the oldest first. */
export class BoundedMap<K, V> {
  readonly #bounds: MapBounds<V>;
  readonly #entries = new Map<K, { readonly value: V; readonly size: number }>();
  #size = 0;

  constructor(bounds: MapBounds<V>) {
    this.#bounds = bounds;
  }

  get(key: K): V | undefined {
    return this.#entries.get(key)?.value;
  }

  /** A value larger than the bound evicts all others and is not kept. */
  set(key: K, value: V): void {
    this.delete(key);
    const size = this.#bounds.sizeOf(value);
    this.#entries.set(key, { value, size });
    this.#size += size;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#bounds.maxEntries && this.#size <= this.#bounds.maxSize) return;
      this.delete(oldest);
    }
  }

  delete(key: K): boolean {
    const entry = this.#entries.get(key);
    if (entry === undefined) return false;
    this.#size -= entry.size;
    return this.#entries.delete(key);
  }

  *entries(): Generator<[K, V]> {
    for (const [key, { value }] of this.#entries) yield [key, value];
  }
}

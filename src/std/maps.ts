/** Two-generation LRU cache: holds between `capacity` and twice as much; evicts a whole generation in constant time. */
export class LruCache<K, V> {
  readonly #capacity: number;
  readonly #sizeOf: ((value: V, key: K) => number) | undefined;
  #young = new Map<K, V>();
  #old = new Map<K, V>();
  #size = 0;

  /** `sizeOf` defaults to 1 per entry. */
  constructor(capacity: number, sizeOf?: (value: V, key: K) => number) {
    this.#capacity = capacity;
    this.#sizeOf = sizeOf;
  }

  get(key: K): V | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: K, value: V): void {
    if (this.#size >= this.#capacity) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#size = 0;
    }
    if (this.#sizeOf === undefined) {
      this.#young.set(key, value);
      this.#size = this.#young.size;
      return;
    }
    const before = this.#young.get(key);
    if (before !== undefined) this.#size -= this.#sizeOf(before, key);
    this.#young.set(key, value);
    this.#size += this.#sizeOf(value, key);
  }
}

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

export function dropOldest<K>(map: Map<K, unknown>, maxSize: number): void {
  for (const key of map.keys()) {
    if (map.size <= maxSize) return;
    map.delete(key);
  }
}

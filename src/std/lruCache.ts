/** Two-generation LRU cache: holds between `capacity` and twice as much; evicts a whole generation in constant time. */
export class LruCache<K, V> {
  readonly #capacity: number;
  readonly #sizeOf: (value: V, key: K) => number;
  #young = new Map<K, V>();
  #old = new Map<K, V>();
  #size = 0;

  /** `sizeOf` defaults to 1 per entry. */
  constructor(capacity: number, sizeOf: (value: V, key: K) => number = () => 1) {
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
    const before = this.#young.get(key);
    if (before !== undefined) this.#size -= this.#sizeOf(before, key);
    this.#young.set(key, value);
    this.#size += this.#sizeOf(value, key);
  }
}

/** Remembers what was used last: between `most` and twice as much. Forgetting costs nothing, whatever the number. */
export class LruCache<K, V> {
  readonly #most: number;
  readonly #weigh: (value: V, key: K) => number;
  #young = new Map<K, V>();
  #old = new Map<K, V>();
  #weight = 0;

  /** Entries count one each, or as much as they weigh with their keys. */
  constructor(most: number, weigh: (value: V, key: K) => number = () => 1) {
    this.#most = most;
    this.#weigh = weigh;
  }

  get(key: K): V | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: K, value: V): void {
    if (this.#weight >= this.#most) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#weight = 0;
    }
    const before = this.#young.get(key);
    if (before !== undefined) this.#weight -= this.#weigh(before, key);
    this.#young.set(key, value);
    this.#weight += this.#weigh(value, key);
  }
}

/** Reads keys that are asked for in the same turn of the event loop at once, and each only once. */
export class Batch<K, V> {
  readonly #read: (keys: readonly K[]) => Promise<readonly V[]>;
  readonly #known = new Map<K, V>();
  readonly #asked = new Map<K, PromiseWithResolvers<V>>();
  #waiting: K[] = [];

  /** `read` answers in the order of the keys. */
  constructor(read: (keys: readonly K[]) => Promise<readonly V[]>) {
    this.#read = read;
  }

  /** The value itself once it is known: a promise for each of many fields takes ten times as long. */
  load(key: K): V | Promise<V> {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const before = this.#asked.get(key);
    if (before !== undefined) return before.promise;
    const asked = Promise.withResolvers<V>();
    this.#asked.set(key, asked);
    if (this.#waiting.push(key) === 1) setImmediate(() => void this.#readWaiting());
    return asked.promise;
  }

  async loadAll(keys: readonly K[]): Promise<void> {
    await Promise.all(new Set(keys).values().map((key) => this.load(key)));
  }

  async #readWaiting(): Promise<void> {
    const keys = this.#waiting;
    this.#waiting = [];
    try {
      const values = await this.#read(keys);
      for (const [at, key] of keys.entries()) {
        this.#known.set(key, values[at]!);
        this.#asked.get(key)!.resolve(values[at]!);
      }
    } catch (error) {
      for (const key of keys) this.#asked.get(key)!.reject(error);
    }
  }
}

/** At once if the value is known. */
export function use<V, R>(value: V | Promise<V>, make: (value: V) => R | Promise<R>): R | Promise<R> {
  return value instanceof Promise ? value.then(make) : make(value);
}

import type { SharedBytes } from "../std/bytes.ts";

/** LRU cache of bytes, limited by size. Evicted bytes are freed at once. */
export class ByteCache {
  readonly #maxBytes: number;
  readonly #kept = new Map<string, SharedBytes>();
  #length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The caller holds a reference and must release it. */
  get(key: string): SharedBytes | undefined {
    const found = this.#kept.get(key);
    if (found === undefined) return undefined;
    this.#kept.delete(key);
    this.#kept.set(key, found);
    return found.retain();
  }

  set(key: string, shared: SharedBytes): void {
    this.#drop(key);
    if (shared.bytes.length > this.#maxBytes) return;
    for (const oldest of this.#kept.keys()) {
      if (this.#length + shared.bytes.length <= this.#maxBytes) break;
      this.#drop(oldest);
    }
    this.#kept.set(key, shared.retain());
    this.#length += shared.bytes.length;
  }

  #drop(key: string): void {
    const dropped = this.#kept.get(key);
    if (dropped === undefined) return;
    this.#kept.delete(key);
    this.#length -= dropped.bytes.length;
    dropped.release();
  }
}

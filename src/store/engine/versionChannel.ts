/**
 * Newest version of a database file known to a connection. A committing connection announces it to the others of the
 * process, in any thread.
 */
export class VersionChannel {
  readonly #channel: BroadcastChannel | undefined;
  #newest: number;

  /** Subscribes before it reads the committed version, so that no commit is missed in between. */
  constructor(path: string, read: () => number) {
    if (path !== ":memory:") {
      this.#channel = new BroadcastChannel(`oriel version of ${path}`);
      this.#channel.onmessage = ({ data }) => this.observe(data as number);
      unref(this.#channel);
    }
    this.#newest = read();
  }

  get newest(): number {
    return this.#newest;
  }

  /** Extends 32 bits to the full version. Versions must be less than half the range apart. */
  observe(bits: number): number {
    const version = this.#newest + ((bits - this.#newest) | 0);
    this.#newest = Math.max(this.#newest, version);
    return version;
  }

  /** Call after a commit on this connection. */
  announce(bits: number): void {
    this.observe(bits);
    this.#channel?.postMessage(bits);
  }

  close(): void {
    this.#channel?.close();
  }
}

/** Node's BroadcastChannel has `unref`, which the DOM types lack. */
function unref(channel: BroadcastChannel): void {
  (channel as unknown as { unref(): void }).unref();
}

/**
 * The newest version of a database file that is known to one of its connections. A connection that commits announces the
 * version to the others of the process, in whatever thread they are.
 */
export class VersionChannel {
  readonly #channel: BroadcastChannel | undefined;
  #newest: number;

  constructor(path: string, version: number) {
    this.#newest = version;
    if (path === ":memory:") return;
    this.#channel = new BroadcastChannel(`oriel version of ${path}`);
    this.#channel.onmessage = ({ data }) => this.observe(data as number);
    unref(this.#channel);
  }

  get newest(): number {
    return this.#newest;
  }

  /** Takes 32 bits of a version, and returns all of it. Versions that are half of their range apart do not meet. */
  observe(bits: number): number {
    const version = this.#newest + ((bits - this.#newest) | 0);
    this.#newest = Math.max(this.#newest, version);
    return version;
  }

  /** A version that was committed over this connection. */
  announce(bits: number): void {
    this.observe(bits);
    this.#channel?.postMessage(bits);
  }

  close(): void {
    this.#channel?.close();
  }
}

/** Node's channels can be let go of, which the types of browsers do not have. */
function unref(channel: BroadcastChannel): void {
  (channel as unknown as { unref(): void }).unref();
}

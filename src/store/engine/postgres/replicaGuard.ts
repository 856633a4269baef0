import { ChainError } from "../../../chain/error.ts";
import type { VersionFeed } from "./versionFeed.ts";

/** Milliseconds that the state of a replica may be older than that of its primary. */
export const MAX_REPLICA_LAG = 5000;

/** Refuses states of a replica that are older than what this process has shown, or too old. */
export class ReplicaGuard {
  readonly #primary: VersionFeed;
  readonly #now: () => number;
  /** Versions of the primary that the replica did not have when it was last read. */
  #ahead: { readonly version: number; readonly at: number }[] = [];
  #shown = -1;

  constructor(primary: VersionFeed, now: () => number = () => performance.now()) {
    this.#primary = primary;
    this.#now = now;
    primary.onChange = (version) => this.#note(version);
  }

  check(version: number): void {
    if (version < this.#shown) throw behind("shows an older state than it did before");
    this.#ahead = this.#ahead.filter((known) => known.version > version);
    const [first] = this.#ahead;
    if (first !== undefined && this.#now() - first.at > MAX_REPLICA_LAG)
      throw behind(`is more than ${MAX_REPLICA_LAG / 1000} seconds behind its primary`);
    this.#shown = version;
    // It was committed there, so a primary that has less has lost it.
    this.#primary.observe(version);
  }

  close(): Promise<void> {
    return this.#primary.close();
  }

  #note(version: number): void {
    this.#ahead = this.#ahead.filter((known) => known.version < version);
    this.#ahead.push({ version, at: this.#now() });
    this.#shown = Math.min(this.#shown, version);
  }
}

function behind(how: string): ChainError {
  return new ChainError("store_unavailable", `the replica ${how}`);
}

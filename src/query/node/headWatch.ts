import type { Head, Source } from "../../chain/source.ts";
import { withTimeout } from "../../std/async.ts";

interface HeadWatchOptions {
  readonly maxAge?: number;
  readonly deadline?: number;
  /** Milliseconds without an answer after which the head is forgotten. */
  readonly knownFor?: number;
  readonly now?: () => number;
}

/** Cached head of the node, shared by all requests. */
export class HeadWatch {
  readonly #source: Source;
  readonly #maxAge: number;
  readonly #deadline: number;
  readonly #knownFor: number;
  readonly #now: () => number;
  #head: Head | null = null;
  #headAt = Number.NEGATIVE_INFINITY;
  #askedAt = Number.NEGATIVE_INFINITY;
  #flight: Promise<Head | null> | undefined;
  #headChanges = 0;
  #lastHead: number | undefined;
  #changes = 0;

  constructor(source: Source, options: HeadWatchOptions = {}) {
    this.#source = source;
    this.#maxAge = options.maxAge ?? 1000;
    this.#deadline = options.deadline ?? 400;
    // A chain that may go back is only trusted for the cache time.
    this.#knownFor = options.knownFor ?? (source.authoritative ? this.#maxAge : 30_000);
    this.#now = options.now ?? (() => performance.now());
    source.watch?.(() => this.#forget());
  }

  /** Null if the node does not answer in time. */
  async current(maxAge = this.#maxAge): Promise<Head | null> {
    if (this.#flight !== undefined) return this.#flight;
    const now = this.#now();
    if (now - this.#askedAt < maxAge) return this.#headAt >= this.#askedAt ? this.#head : null;
    this.#askedAt = now;
    this.#flight = this.#ask().finally(() => {
      this.#flight = undefined;
    });
    return this.#flight;
  }

  /** Highest recently reported block, without a request. */
  get known(): number | undefined {
    const isFresh = this.#now() - this.#headAt < this.#knownFor;
    const known = isFresh ? this.#head?.number : undefined;
    if (known !== this.#lastHead) this.#changes++;
    this.#lastHead = known;
    return known;
  }

  /** Number of changes: equal counts around a read mean that `known` did not change. */
  get changes(): number {
    void this.known;
    return this.#changes;
  }

  #ask(): Promise<Head | null> {
    return withTimeout(this.#note(this.#source.head()), this.#deadline, () => null);
  }

  /** A late answer still updates the cache. */
  async #note(answer: Promise<Head>): Promise<Head | null> {
    const headChanges = this.#headChanges;
    try {
      const head = await answer;
      if (headChanges !== this.#headChanges) return head;
      this.#head = head;
      this.#headAt = this.#now();
      return head;
    } catch {
      return null;
    }
  }

  /** Drops the cached head and requests in flight. */
  #forget(): void {
    this.#headChanges++;
    this.#head = null;
    this.#headAt = Number.NEGATIVE_INFINITY;
    this.#askedAt = Number.NEGATIVE_INFINITY;
  }
}

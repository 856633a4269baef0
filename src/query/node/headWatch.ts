import type { Head, Source } from "../../chain/source.ts";
import { withTimeout } from "../../std/async.ts";

export interface HeadWatchOptions {
  /** How long an answer, or the lack of one, is good for. */
  readonly maxAge?: number;
  /** How long a caller waits for the node. */
  readonly deadline?: number;
  /** Later heads are forgotten after so long without news. */
  readonly knownFor?: number;
}

/** The node's head for those who want to say how far the index is: asked once for all of them, never waited for long. */
export class HeadWatch {
  readonly #source: Source;
  readonly #maxAge: number;
  readonly #deadline: number;
  readonly #knownFor: number;
  #head: Head | null = null;
  #headAt = Number.NEGATIVE_INFINITY;
  #askedAt = Number.NEGATIVE_INFINITY;
  #flight: Promise<Head | null> | undefined;
  #news = 0;
  #said: number | undefined;
  #changes = 0;

  constructor(source: Source, options: HeadWatchOptions = {}) {
    this.#source = source;
    this.#maxAge = options.maxAge ?? 1000;
    this.#deadline = options.deadline ?? 400;
    // A chain that may go back has had its last head for no longer than it is asked for.
    this.#knownFor = options.knownFor ?? (source.authoritative ? this.#maxAge : 30_000);
    source.watch?.(() => this.#forget());
  }

  /** The head as of a moment ago; null when the node does not answer. */
  async current(maxAge = this.#maxAge): Promise<Head | null> {
    if (this.#flight !== undefined) return this.#flight;
    const now = performance.now();
    if (now - this.#askedAt < maxAge) return this.#headAt >= this.#askedAt ? this.#head : null;
    this.#askedAt = now;
    this.#flight = this.#ask().finally(() => {
      this.#flight = undefined;
    });
    return this.#flight;
  }

  /** The highest block the node was lately heard to have, without asking it. */
  get known(): number | undefined {
    const isFresh = performance.now() - this.#headAt < this.#knownFor;
    const known = isFresh ? this.#head?.number : undefined;
    if (known !== this.#said) this.#changes++;
    this.#said = known;
    return known;
  }

  /** How often the known head changed: if two reads give the same count, every read of `known` between them gave the same head. */
  get changes(): number {
    void this.known;
    return this.#changes;
  }

  #ask(): Promise<Head | null> {
    return withTimeout(this.#note(this.#source.head()), this.#deadline, () => null);
  }

  /** An answer that comes too late for its caller still serves the next one. */
  async #note(answer: Promise<Head>): Promise<Head | null> {
    const news = this.#news;
    try {
      const head = await answer;
      if (news !== this.#news) return head;
      this.#head = head;
      this.#headAt = performance.now();
      return head;
    } catch {
      return null;
    }
  }

  /** The head is another: what is known of it, or was asked before, counts no more. */
  #forget(): void {
    this.#news++;
    this.#head = null;
    this.#headAt = Number.NEGATIVE_INFINITY;
    this.#askedAt = Number.NEGATIVE_INFINITY;
  }
}

import { toHex } from "../../chain/encoding/hex.ts";
import type { ChainError } from "../../chain/error.ts";
import { asChainError } from "../../chain/error.ts";
import { dropOldest } from "../../std/dropOldest.ts";
import { withTimeout } from "../../std/withTimeout.ts";
import { UpstreamError } from "../failure.ts";
import type { NewestBlock } from "../headReader.ts";
import { isTransient } from "../retry.ts";
import type { Upstream } from "../upstream.ts";
import type { ChainView } from "./agreement.ts";
import { Trust } from "./trust.ts";

/** Milliseconds for which a node is asked after the others once it has failed: longer each time in a row. */
export const REST = { first: 250, longest: 15_000 };

/** Milliseconds without an answer to a question for its head after which a node is ejected. */
export const HANGING = 1000;

/** How much the newest measurement counts. */
const WEIGHT = 0.2;

/** Milliseconds after which what a node said of its head counts as old. */
export const FRESH = 6000;

/** Milliseconds that others are waited for once one has shown its head. */
export const GRACE = 150;

/** Milliseconds after which a node that has not shown its head is not waited for. */
export const SLOW_LOOK = 1500;

/** Hashes of its blocks that are kept. */
const MAX_HASHES = 256;

/** One of several nodes, and how it does. */
export class Member implements ChainView {
  readonly upstream: Upstream;
  readonly trust = new Trust();
  /** Calls that it works on. */
  running = 0;
  readonly #hashes = new Map<number, string>();
  #newest: NewestBlock | undefined;
  /** The newest block that was shown to stand on one of another node. */
  #shown: string | undefined;
  #seenAt = Number.NEGATIVE_INFINITY;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #restsUntil = Number.NEGATIVE_INFINITY;
  #isEjected = false;
  #failures = 0;
  #failed = 0;
  #milliseconds: number | undefined;
  #looking: Promise<void> | undefined;
  #failure: ChainError | undefined;

  constructor(upstream: Upstream) {
    this.upstream = upstream;
  }

  get newest(): NewestBlock | undefined {
    return this.#newest;
  }

  get head(): number {
    return this.#newest?.head.number ?? 0;
  }

  get isShown(): boolean {
    return this.#shown !== undefined && this.#shown === this.hashAt(this.head);
  }

  /** Its block with this hash was shown to stand on one of another node. */
  noteShown(hash: string | undefined): void {
    this.#shown = hash;
  }

  /** Whether it is known what its head is: it has shown it lately, and is not taking long to show it again. */
  get isFresh(): boolean {
    const now = performance.now();
    const isSlow = this.#looking !== undefined && now - this.#lookedAt > SLOW_LOOK;
    return now - this.#seenAt < FRESH && !isSlow;
  }

  /** Whether it is taking longer to show its head than others are waited for. */
  get isLate(): boolean {
    return this.#looking !== undefined && performance.now() - this.#lookedAt >= Math.max(GRACE, 2 * this.latency);
  }

  /** Whether it has shown its head since a time. */
  isSeenSince(time: number): boolean {
    return this.#seenAt >= time;
  }

  get isResting(): boolean {
    return performance.now() < this.#restsUntil;
  }

  /** Whether it has stopped answering: nobody waits for it until it has answered in good time. */
  get isEjected(): boolean {
    return this.#isEjected;
  }

  /** Milliseconds that an answer takes. */
  get latency(): number {
    return this.#milliseconds ?? 0;
  }

  /** Calls that failed, of all so far. */
  get failed(): number {
    return this.#failed;
  }

  get failure(): ChainError | undefined {
    return this.#failure;
  }

  hashAt(number: number): string | undefined {
    return this.#hashes.get(number);
  }

  /** Looks at its head; never throws. */
  look(): Promise<void> {
    if (this.#looking !== undefined) return this.#looking;
    this.#lookedAt = performance.now();
    const timer = setTimeout(() => this.#eject(), HANGING);
    this.#looking = this.ask((upstream) => upstream.newest())
      .then((newest) => this.#noteNewest(newest))
      .catch(() => {
        // What it showed before may be of a branch that it has left.
        this.#seenAt = Number.NEGATIVE_INFINITY;
      })
      .finally(() => {
        clearTimeout(timer);
        this.#looking = undefined;
      });
    return this.#looking;
  }

  /** Whether it shows its head within so many milliseconds, or what it usually takes for some; one that does not is ejected. */
  async probe(milliseconds: number): Promise<boolean> {
    const began = performance.now();
    await withTimeout(this.look(), Math.max(milliseconds, 4 * this.latency), () => {});
    const isAlive = this.isSeenSince(began);
    if (!isAlive) this.#eject();
    return isAlive;
  }

  /** Has it name its blocks at some heights; never throws. */
  async compare(heights: readonly number[]): Promise<void> {
    try {
      const hashes = await this.ask((upstream) => upstream.hashes(heights));
      for (const [at, number] of heights.entries()) {
        const hash = hashes[at];
        if (hash !== undefined) this.#hashes.set(number, toHex(hash));
      }
    } catch {
      // That it cannot say is counted, and speaks for neither branch.
    }
  }

  /** Asks it, and takes note of how that goes. */
  async ask<T>(work: (upstream: Upstream) => Promise<T>): Promise<T> {
    const began = performance.now();
    this.running++;
    try {
      const answer = await work(this.upstream);
      this.#noteSuccess(performance.now() - began);
      return answer;
    } catch (error) {
      this.#noteFailure(asChainError(error));
      throw error;
    } finally {
      this.running--;
    }
  }

  #noteSuccess(milliseconds: number): void {
    this.#failures = 0;
    this.#failure = undefined;
    if (milliseconds < HANGING) this.#isEjected = false;
    const before = this.#milliseconds ?? milliseconds;
    this.#milliseconds = before + WEIGHT * (milliseconds - before);
  }

  /** It did not answer a call in time: others are asked until it has answered something. */
  noteSlow(): void {
    this.#eject();
    void this.look();
  }

  #eject(): void {
    this.#isEjected = true;
  }

  /** That a node refuses a call says nothing of its health. */
  #noteFailure(error: ChainError): void {
    if (!isTransient(error) && error.code !== "wrong_chain" && "rpc" in error && error.rpc !== undefined) return;
    this.#failed++;
    this.#failure = error;
    const asked = error instanceof UpstreamError ? (error.retryAfterMs ?? 0) : 0;
    const rest = Math.max(REST.first * 2 ** this.#failures++, asked);
    this.#restsUntil = performance.now() + Math.min(rest, REST.longest);
  }

  /** With another head that does not stand on the one before, what is below it may be other blocks. */
  #noteNewest(newest: NewestBlock): void {
    const { number, hash } = newest.head;
    const below = newest.parentHash && toHex(newest.parentHash);
    const isKnown = this.#hashes.get(number) === toHex(hash);
    this.#newest = newest;
    this.#seenAt = performance.now();
    if (isKnown) return;
    if (below === undefined || this.#hashes.get(number - 1) !== below) this.#hashes.clear();
    this.#hashes.set(number, toHex(hash));
    if (below !== undefined && number > 0) this.#hashes.set(number - 1, below);
    dropOldest(this.#hashes, MAX_HASHES);
  }
}

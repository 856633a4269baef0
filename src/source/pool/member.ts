import { toHex } from "../../chain/encoding/hex.ts";
import type { ChainError } from "../../chain/error.ts";
import { asChainError } from "../../chain/error.ts";
import { startTimeout, withTimeout } from "../../std/async.ts";
import { dropOldest } from "../../std/maps.ts";
import { UpstreamError } from "../failure.ts";
import type { NewestBlock } from "../headReader.ts";
import { isTransient } from "../retry.ts";
import type { Upstream } from "../upstream.ts";
import type { Anchor, ChainView } from "./agreement.ts";
import { Trust } from "./trust.ts";

/** Milliseconds of backoff after a failure; doubles. */
export const REST = { first: 250, longest: 15_000 };

/** Milliseconds without a response to a head query after which a node is ejected. */
export const HANGING = 1000;

const WEIGHT = 0.2;

/** Milliseconds until a head counts as stale. */
const FRESH = 6000;

/** Milliseconds to wait for the others once one node has reported its head. */
export const GRACE = 150;

/** Milliseconds after which a node without a head is no longer waited for. */
const SLOW_POLL = 1500;

const MAX_HASHES = 256;

export class Member implements ChainView {
  readonly upstream: Upstream;
  readonly trust = new Trust();
  running = 0;
  readonly #hashes = new Map<number, string>();
  #newest: NewestBlock | undefined;
  /** Newest head linked to a block of another node. */
  #shown: Anchor | undefined;
  #seenAt = Number.NEGATIVE_INFINITY;
  #polledAt = Number.NEGATIVE_INFINITY;
  #restsUntil = Number.NEGATIVE_INFINITY;
  #isEjected = false;
  #failures = 0;
  #failed = 0;
  #milliseconds: number | undefined;
  #polling: Promise<void> | undefined;
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
    return this.#shown?.number === this.head && this.#shown.hash === this.hashAt(this.head);
  }

  /** Records that the head was linked to a block of another node. */
  noteShown(shown: Anchor): void {
    this.#shown = shown;
  }

  /** Whether its head is recent and no head query is overdue. */
  get isFresh(): boolean {
    const now = performance.now();
    const isSlow = this.#polling !== undefined && now - this.#polledAt > SLOW_POLL;
    return now - this.#seenAt < FRESH && !isSlow;
  }

  /** Whether its head query takes longer than the pool waits. */
  get isLate(): boolean {
    return this.#polling !== undefined && performance.now() - this.#polledAt >= Math.max(GRACE, 2 * this.latency);
  }

  /** Whether it reported its head since a time. */
  isSeenSince(time: number): boolean {
    return this.#seenAt >= time;
  }

  get isResting(): boolean {
    return performance.now() < this.#restsUntil;
  }

  /** An ejected node is not waited for until it answers in time again. */
  get isEjected(): boolean {
    return this.#isEjected;
  }

  get latency(): number {
    return this.#milliseconds ?? 0;
  }

  get failed(): number {
    return this.#failed;
  }

  /** Whether its last head query failed. */
  get isFailing(): boolean {
    return this.#failure !== undefined && this.#polling === undefined;
  }

  get failure(): ChainError | undefined {
    return this.#failure;
  }

  hashAt(number: number): string | undefined {
    return this.#hashes.get(number);
  }

  /** Queries its head; never throws. */
  pollHead(): Promise<void> {
    if (this.#polling !== undefined) return this.#polling;
    this.#polledAt = performance.now();
    const cancel = startTimeout(HANGING, () => this.#eject());
    this.#polling = this.ask((upstream) => upstream.newest())
      .then((newest) => this.#noteNewest(newest))
      .catch(() => {
        // Earlier data may belong to an abandoned branch.
        this.#seenAt = Number.NEGATIVE_INFINITY;
      })
      .finally(() => {
        cancel();
        this.#polling = undefined;
      });
    return this.#polling;
  }

  /** Its head, reported since a time; throws if it fails. */
  async reportHead(since: number): Promise<void> {
    if (!this.isSeenSince(since)) await this.pollHead();
    if (!this.isSeenSince(since)) throw this.#failure ?? new UpstreamError("upstream_unavailable", "it has no head");
  }

  /** Ejects the node if it does not report its head in time. Allows a multiple of its usual latency. */
  async probe(milliseconds: number): Promise<boolean> {
    const began = performance.now();
    await withTimeout(this.pollHead(), Math.max(milliseconds, 4 * this.latency), () => {});
    const isAlive = this.isSeenSince(began);
    if (!isAlive) this.#eject();
    return isAlive;
  }

  /** Fetches block hashes at some heights; never throws. */
  async compare(heights: readonly number[]): Promise<void> {
    try {
      const hashes = await this.ask((upstream) => upstream.hashes(heights));
      for (const [at, number] of heights.entries()) {
        const hash = hashes[at];
        if (hash !== undefined) this.#hashes.set(number, toHex(hash));
      }
    } catch {
      // The failure is counted; the node supports neither branch.
    }
  }

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

  /** Deprioritizes the node until it answers something. */
  noteSlow(): void {
    this.#eject();
    void this.pollHead();
  }

  #eject(): void {
    this.#isEjected = true;
  }

  /** A JSON-RPC error does not affect the node's health. */
  #noteFailure(error: ChainError): void {
    if (!isTransient(error) && error.code !== "wrong_chain" && "rpc" in error && error.rpc !== undefined) return;
    this.#failed++;
    this.#failure = error;
    const asked = error instanceof UpstreamError ? (error.retryAfterMs ?? 0) : 0;
    const rest = Math.max(REST.first * 2 ** this.#failures++, asked);
    this.#restsUntil = performance.now() + Math.min(rest, REST.longest);
  }

  /** A head that does not extend the previous one invalidates the known hashes. */
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

import type { Bytes } from "../../chain/encoding/bytes.ts";
import { equalBytes } from "../../chain/encoding/bytes.ts";
import { withTimeout } from "../../std/async.ts";
import { findHighest } from "../../std/numbers.ts";
import type { Tip } from "../../store/read/blocks.ts";
import type { StoreReader } from "../../store/storeReader.ts";

/** The hashes of a node's canonical blocks at some heights; undefined where it has none. */
export type ReadHashes = (numbers: readonly number[]) => Promise<readonly (Bytes | undefined)[]>;

export interface CanonicalOptions {
  /** Milliseconds that a comparison is good for at most; less while the node answers quickly. */
  readonly maxAge?: number;
  /** Milliseconds that a caller waits for the node. */
  readonly deadline?: number;
}

/** Milliseconds that a comparison is good for at least. */
export const MIN_AGE = 5;
export const MAX_AGE = 1000;

/** A comparison is good for as many times of what it took: a node far away is not asked for every call. */
const AGE_FACTOR = 4;

/** Milliseconds after which a node that could not be asked is asked again. */
const RETRY_AFTER = 1000;

/** Where not one indexed block is the node's. */
const NO_HASH = new Uint8Array();

/** The newest indexed block that the node has, as of a comparison. */
interface Comparison {
  readonly number: number;
  readonly hash: Bytes;
  /** Whether that is the newest indexed block; else whether the node has no block above it, or others than the index. */
  readonly node: "agrees" | "behind" | "on another branch";
  readonly freshUntil: number;
}

type Shared = Omit<Comparison, "freshUntil">;

/** Up to which height the blocks of the index are canonical for the node, which may have left the branch of the index. */
export class CanonicalHeight {
  readonly #store: StoreReader;
  readonly #readHashes: ReadHashes;
  readonly #maxAge: number;
  readonly #deadline: number;
  #known: Comparison | undefined;
  #flight: Promise<void> | undefined;
  #flightAt = 0;
  #failedAt = Number.NEGATIVE_INFINITY;
  #expiries = 0;
  #reorgs = 0;
  /** The node does not have the newest indexed block, and it is being looked for which one it has. */
  #isSearching = false;

  constructor(store: StoreReader, readHashes: ReadHashes, { maxAge = MAX_AGE, deadline = 400 }: CanonicalOptions = {}) {
    this.#store = store;
    this.#readHashes = readHashes;
    this.#maxAge = maxAge;
    this.#deadline = deadline;
  }

  /** As of the last comparison. Without limit where the node could not be asked yet, or was last on the branch of the index. */
  get known(): number {
    const known = this.#known;
    if (this.#isSearching) return -1;
    if (known === undefined || (known.node === "agrees" && this.#isFailing)) return Number.POSITIVE_INFINITY;
    return known.number;
  }

  /** The newest block that index and node share, where the node was last seen with others above it. */
  get forkedAt(): number | undefined {
    return this.#known?.node === "on another branch" ? this.#known.number : undefined;
  }

  get isFresh(): boolean {
    return this.#known !== undefined && performance.now() < this.#known.freshUntil;
  }

  /** How often a block that was canonical was found to be so no more. */
  get reorgs(): number {
    return this.#reorgs;
  }

  /** As of a moment ago. Nobody waits long for the node: what it said last stands until it answers. */
  async current(): Promise<number> {
    // One that was under way may be of before the last expiry.
    for (let looks = 0; looks < 2 && !this.isFresh && (await this.#compareInTime()); looks++);
    return this.known;
  }

  /** The next caller has the node asked. */
  expire(): void {
    this.#expiries++;
    if (this.#known !== undefined) this.#known = { ...this.#known, freshUntil: Number.NEGATIVE_INFINITY };
  }

  /** Takes note of a height that the node was heard to have. */
  noteHeight(height: number): void {
    if (this.#known !== undefined && height < this.#known.number) this.expire();
  }

  get #isFailing(): boolean {
    return this.#failedAt !== Number.NEGATIVE_INFINITY;
  }

  /** Whether a comparison was made in time. */
  async #compareInTime(): Promise<boolean> {
    const now = performance.now();
    if (this.#flight === undefined) {
      if (now - this.#failedAt < RETRY_AFTER) return false;
      this.#flightAt = now;
      this.#flight = this.#compare().finally(() => {
        this.#flight = undefined;
      });
    }
    const left = this.#isFailing ? 0 : this.#flightAt + this.#deadline - now;
    if (left <= 0) return false;
    return withTimeout(
      this.#flight.then(() => !this.#isFailing),
      left,
      () => false,
    );
  }

  async #compare(): Promise<void> {
    const [start, expiries] = [performance.now(), this.#expiries];
    try {
      const found = await this.#findShared();
      this.#failedAt = Number.NEGATIVE_INFINITY;
      const took = performance.now() - start;
      const age = Math.min(Math.max(took * AGE_FACTOR, MIN_AGE), this.#maxAge);
      const freshUntil = expiries === this.#expiries ? start + age : Number.NEGATIVE_INFINITY;
      if (await this.#isReplaced(found)) this.#reorgs++;
      this.#known = found && { ...found, freshUntil };
    } catch {
      this.#failedAt = performance.now();
    }
  }

  async #findShared(): Promise<Shared | undefined> {
    const { first, tip } = await this.#store.read(async ({ blocks }) => ({
      first: await blocks.first(),
      tip: await blocks.tip(),
    }));
    if (first === undefined || tip === undefined) return undefined;
    const number = await this.#findNumber(first.header.number, tip);
    if (number === tip.number) return { number, hash: tip.hash, node: "agrees" };
    const [next] = await this.#readHashes([number + 1]);
    const node = next === undefined ? "behind" : "on another branch";
    return { number, hash: (await this.#hashOf(number)) ?? NO_HASH, node };
  }

  async #findNumber(first: number, tip: Tip): Promise<number> {
    const last = this.#known === undefined || this.#known.node === "agrees" ? undefined : this.#known.number;
    const tried = [tip.number, ...(last === undefined ? [] : [last, last + 1])];
    const [hasTip, hasLast, hasNext] = await this.#areShared(tried);
    if (hasTip) return tip.number;
    if (last !== undefined && hasLast && !hasNext) return last;
    this.#isSearching = true;
    try {
      return await findHighest(first - 1, tip.number, (numbers) => this.#areShared(numbers));
    } finally {
      this.#isSearching = false;
    }
  }

  async #areShared(numbers: readonly number[]): Promise<boolean[]> {
    const theirs = await this.#readHashes(numbers);
    const ours = await this.#store.read(({ blocks }) => blocks.headers(numbers));
    return numbers.map((number, at) => {
      const [their, our] = [theirs[at], ours.get(number)?.header.hash];
      return their !== undefined && our !== undefined && equalBytes(their, our);
    });
  }

  /** Whether what was canonical before is so no more, by the index or the node. */
  async #isReplaced(found: Shared | undefined): Promise<boolean> {
    const before = this.#known;
    if (before === undefined) return false;
    if (found === undefined || found.number < before.number) return true;
    const hash = found.number === before.number ? found.hash : await this.#hashOf(before.number);
    return hash === undefined || !equalBytes(hash, before.hash);
  }

  async #hashOf(number: number): Promise<Bytes | undefined> {
    const headers = await this.#store.read(({ blocks }) => blocks.headers([number]));
    return headers.get(number)?.header.hash;
  }
}

import type { Bytes } from "../../chain/encoding/bytes.ts";
import { equalBytes } from "../../chain/encoding/bytes.ts";
import { withTimeout } from "../../std/async.ts";
import { findHighest } from "../../std/numbers.ts";
import type { Tip } from "../../store/read/blocks.ts";
import type { StoreReader } from "../../store/storeReader.ts";

export type ReadHashes = (numbers: readonly number[]) => Promise<readonly (Bytes | undefined)[]>;

interface CanonicalOptions {
  /** Maximum age of a comparison in milliseconds; shorter while the node answers quickly. */
  readonly maxAge?: number;
  readonly deadline?: number;
  readonly now?: () => number;
}

export const MIN_AGE = 5;
const MAX_AGE = 1000;

/** Age as a multiple of the duration, so that a distant node is not asked on every call. */
const AGE_FACTOR = 4;

const RETRY_AFTER = 1000;

const NO_HASH = new Uint8Array();

interface Comparison {
  readonly number: number;
  readonly hash: Bytes;
  /** Whether the newest indexed block is the node's; else whether the node has no block above the common one. */
  readonly node: "agrees" | "behind" | "on another branch";
  readonly freshUntil: number;
}

type Shared = Omit<Comparison, "freshUntil">;

/** Height up to which indexed blocks are canonical for the node. */
export class CanonicalHeight {
  readonly #store: StoreReader;
  readonly #readHashes: ReadHashes;
  readonly #maxAge: number;
  readonly #deadline: number;
  readonly #now: () => number;
  #known: Comparison | undefined;
  #flight: Promise<void> | undefined;
  #flightAt = 0;
  #failedAt = Number.NEGATIVE_INFINITY;
  #expiries = 0;
  #reorgs = 0;
  /** The node lacks the newest indexed block; its own branch point is being searched. */
  #isSearching = false;

  constructor(store: StoreReader, readHashes: ReadHashes, options: CanonicalOptions = {}) {
    const { maxAge = MAX_AGE, deadline = 400, now = () => performance.now() } = options;
    this.#store = store;
    this.#readHashes = readHashes;
    this.#maxAge = maxAge;
    this.#deadline = deadline;
    this.#now = now;
  }

  /** As of the last comparison; Infinity if the node has not answered or was on the same branch. */
  get known(): number {
    const known = this.#known;
    if (this.#isSearching) return -1;
    if (known === undefined || (known.node === "agrees" && this.#isFailing)) return Number.POSITIVE_INFINITY;
    return known.number;
  }

  /** Newest common block while the node is on another branch. */
  get forkedAt(): number | undefined {
    return this.#known?.node === "on another branch" ? this.#known.number : undefined;
  }

  get isFresh(): boolean {
    return this.#known !== undefined && this.#now() < this.#known.freshUntil;
  }

  get reorgs(): number {
    return this.#reorgs;
  }

  /** Refreshed if stale. Waits only briefly: the last result stands until the node answers. */
  async current(): Promise<number> {
    // A comparison in progress may predate the last expiry.
    for (let checks = 0; checks < 2 && !this.isFresh && (await this.#compareInTime()); checks++);
    return this.known;
  }

  /** Forces a comparison on the next call. */
  expire(): void {
    this.#expiries++;
    if (this.#known !== undefined) this.#known = { ...this.#known, freshUntil: Number.NEGATIVE_INFINITY };
  }

  noteHeight(height: number): void {
    if (this.#known !== undefined && height < this.#known.number) this.expire();
  }

  get #isFailing(): boolean {
    return this.#failedAt !== Number.NEGATIVE_INFINITY;
  }

  async #compareInTime(): Promise<boolean> {
    const now = this.#now();
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
    const [start, expiries] = [this.#now(), this.#expiries];
    try {
      const found = await this.#findShared();
      this.#failedAt = Number.NEGATIVE_INFINITY;
      const took = this.#now() - start;
      const age = Math.min(Math.max(took * AGE_FACTOR, MIN_AGE), this.#maxAge);
      const freshUntil = expiries === this.#expiries ? start + age : Number.NEGATIVE_INFINITY;
      if (await this.#isReplaced(found)) this.#reorgs++;
      this.#known = found && { ...found, freshUntil };
    } catch {
      this.#failedAt = this.#now();
    } finally {
      this.#isSearching = false;
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
    return findHighest(first - 1, tip.number, (numbers) => this.#areShared(numbers));
  }

  async #areShared(numbers: readonly number[]): Promise<boolean[]> {
    const theirs = await this.#readHashes(numbers);
    const ours = await this.#store.read(({ blocks }) => blocks.headers(numbers));
    return numbers.map((number, at) => {
      const [their, our] = [theirs[at], ours.get(number)?.header.hash];
      return their !== undefined && our !== undefined && equalBytes(their, our);
    });
  }

  /** Whether a previously canonical block was replaced. */
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

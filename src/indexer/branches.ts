import type { Bytes } from "../chain/encoding/bytes.ts";
import { equalBytes } from "../chain/encoding/bytes.ts";
import type { Head, Source } from "../chain/source.ts";
import type { Tip } from "../store/read/blocks.ts";
import type { Store } from "../store/store.ts";
import { findAncestor } from "./ancestor.ts";

/** A lower or previously abandoned branch is followed after this time and number of checks. */
export const CONFIRM_MILLISECONDS = 12_000;
export const CONFIRM_CHECKS = 3;

/** Remembers abandoned branches, so that a load-balanced node does not flip the index back and forth. */
export const MAX_ABANDONED = 8;

interface BlockId {
  readonly number: number;
  readonly hash: Bytes;
}

export interface Branch {
  /** A block of the branch at an indexed height; identifies the branch. */
  readonly block: BlockId;
  readonly since: number;
  checks: number;
  /** Fork point, once determined. */
  fork?: Fork;
}

interface Fork {
  readonly ancestor: number;
  /** Previously abandoned blocks on either side, which mean that the node flips between branches. */
  readonly left: readonly BlockId[];
}

/** Result of a head check: on our branch, behind on it, self-contradictory, or on another branch. */
type HeadCheck = "ours" | "behind" | "unclear" | Branch;

interface BranchesOptions {
  readonly store: Store;
  readonly source: Source;
  readonly now?: (() => number) | undefined;
}

/** Distinguishes a lagging node from one on another branch, and measures for how long. */
export class Branches {
  readonly #store: Store;
  readonly #source: Source;
  readonly #now: () => number;
  #left: readonly BlockId[] = [];
  #seen: Branch | undefined;

  constructor({ store, source, now = () => performance.now() }: BranchesOptions) {
    this.#store = store;
    this.#source = source;
    this.#now = now;
  }

  /** Human-readable; undefined while the node is on our branch. */
  get disagreement(): string | undefined {
    const fork = this.#seen?.fork;
    if (fork === undefined) return undefined;
    const until = `until that has held for ${CONFIRM_MILLISECONDS / 1000} s${fork.left.length > 0 ? "" : " or is as high"}`;
    return `${this.#source.name} and the index disagree from block ${fork.ancestor + 1} on; its branch is not followed ${until}`;
  }

  /** Newest block shared with the node's branch; undefined while it is on ours. */
  get forkedAt(): number | undefined {
    return this.#seen?.fork?.ancestor;
  }

  /** The node is on our branch. */
  reset(): void {
    this.#seen = undefined;
  }

  async checkHead(tip: Tip, head: Head): Promise<HeadCheck> {
    const number = Math.min(head.number, tip.number);
    const theirs = head.number <= tip.number ? head.hash : (await this.#source.hashes([number]))[0];
    if (theirs === undefined) return "unclear";
    const ours = number === tip.number ? tip.hash : (await this.#store.latest.blocks.byNumber(number))?.header.hash;
    const isOurs = ours === undefined ? !this.#source.authoritative : equalBytes(theirs, ours);
    if (!isOurs) return this.#note({ number, hash: theirs }, head);
    // At or below the fork both branches share the block, so it supports neither.
    if (number > (this.#seen?.fork?.ancestor ?? -1)) this.reset();
    return head.number < tip.number ? "behind" : "ours";
  }

  /**
   * Newest common block; throws if it is too deep. Undefined if the node left the branch, as a load balancer may
   * between two calls.
   */
  async ancestorOf(branch: Branch, head: Head): Promise<number | undefined> {
    const fork = branch.fork ?? (await this.#locate(branch, head));
    if (fork.ancestor >= branch.block.number) return undefined;
    branch.fork = fork;
    return fork.ancestor;
  }

  /** Forces a new search for the branch. */
  invalidate(branch: Branch): void {
    delete branch.fork;
  }

  /**
   * Whether to follow a branch: at once if it is as high as the index and neither side was abandoned before, else after
   * it persists. An authoritative source is always followed.
   */
  isConfirmed(branch: Branch, tip: Tip, head: Head): boolean {
    const isAsHigh = head.number >= tip.number && (branch.fork?.left.length ?? 0) === 0;
    return this.#source.authoritative || isAsHigh || this.#isConfirmed(branch);
  }

  /** Whether a block may replace ours. A load balancer may serve one of an abandoned branch. */
  mayTake(branch: Branch, block: BlockId): boolean {
    return this.#amongLeft([block]).length === 0 || this.#isConfirmed(branch);
  }

  /** Records that the index leaves one branch for another. */
  abandon(block: BlockId, replacement: BlockId): void {
    this.#seen = undefined;
    if (this.#source.authoritative) return;
    const left = this.#left.filter(({ hash }) => !equalBytes(hash, replacement.hash));
    this.#left = [...left, block].slice(-MAX_ABANDONED);
  }

  /** Whether the node's next block was unwound before and has not persisted since. */
  async isReturning(tip: Tip, head: Head): Promise<boolean> {
    const number = tip.number + 1;
    if (!this.#left.some((left) => left.number === number)) return false;
    const [hash] = await this.#source.hashes([number]);
    const left = this.#amongLeft([{ number, hash }]);
    if (hash === undefined || left.length === 0) return false;
    const branch = await this.#note({ number, hash }, head);
    branch.fork = { ancestor: tip.number, left };
    return !this.#isConfirmed(branch);
  }

  #isConfirmed({ checks, since }: Branch): boolean {
    return checks >= CONFIRM_CHECKS && this.#now() - since >= CONFIRM_MILLISECONDS;
  }

  async #note(block: BlockId, head: Head): Promise<Branch> {
    const isSame = await this.#isSame(block, head);
    const seen = (isSame ? this.#seen : undefined) ?? { block, since: this.#now(), checks: 0 };
    seen.checks++;
    this.#seen = seen;
    return seen;
  }

  async #isSame({ number, hash }: BlockId, head: Head): Promise<boolean> {
    const known = this.#seen?.block;
    if (known === undefined || known.number > head.number) return false;
    if (known.number === number) return equalBytes(known.hash, hash);
    const [theirs] = await this.#source.hashes([known.number]);
    return theirs !== undefined && equalBytes(theirs, known.hash);
  }

  async #locate({ block }: Branch, head: Head): Promise<Fork> {
    const ancestor = await findAncestor(this.#store, this.#source, block.number);
    const heights = new Set(this.#left.map(({ number }) => number));
    const asked = [...heights].filter((number) => number > ancestor && number <= head.number);
    if (asked.length === 0) return { ancestor, left: [] };
    const hashes = await this.#source.hashes(asked);
    const theirs = asked.map((number, at) => ({ number, hash: hashes[at] }));
    const ours = await this.#store.latest.blocks.byNumber(ancestor + 1);
    return { ancestor, left: this.#amongLeft(ours === undefined ? theirs : [...theirs, ours.header]) };
  }

  #amongLeft(blocks: readonly { readonly number: number; readonly hash: Bytes | undefined }[]): BlockId[] {
    return this.#left.filter((left) =>
      blocks.some(({ number, hash }) => number === left.number && hash !== undefined && equalBytes(hash, left.hash)),
    );
  }
}

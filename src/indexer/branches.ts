import type { Bytes } from "../chain/encoding/bytes.ts";
import { equalBytes } from "../chain/encoding/bytes.ts";
import type { Head, Source } from "../chain/source.ts";
import type { Tip } from "../store/read/blocks.ts";
import type { Store } from "../store/store.ts";
import { findAncestor } from "./ancestor.ts";

/** A branch that is lower than the index, or that the index has left, is followed after so long and so many looks. */
export const CONFIRM_MILLISECONDS = 12_000;
export const CONFIRM_LOOKS = 3;

/** Branches that were left are remembered, so that a node behind a balancer does not take the index back and forth. */
export const MAX_ABANDONED = 8;

interface BlockId {
  readonly number: number;
  readonly hash: Bytes;
}

/** A branch of the node that the index is not on. */
export interface Branch {
  /** One of its blocks, at a height that the index holds: as long as the node has it, the branch is the same. */
  readonly block: BlockId;
  readonly since: number;
  looks: number;
  /** Where it parts from the index, once that was looked for. */
  fork?: Fork;
}

interface Fork {
  readonly ancestor: number;
  /** Blocks of it, or our own above the ancestor, that the index has left before: then the node flips between branches. */
  readonly left: readonly BlockId[];
}

/** What a look at the node's head shows: it is on our branch, lower on it, on another, or it contradicts itself. */
export type Look = "ours" | "behind" | "unclear" | Branch;

export interface BranchesOptions {
  readonly store: Store;
  readonly source: Source;
  readonly now?: (() => number) | undefined;
}

/** Tells a node that is behind from one on another branch, and for how long it has been there. */
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

  /** What is waited for, in words; undefined while the node is on our branch. */
  get disagreement(): string | undefined {
    const fork = this.#seen?.fork;
    if (fork === undefined) return undefined;
    const until = `until that has held for ${CONFIRM_MILLISECONDS / 1000} s${fork.left.length > 0 ? "" : " or is as high"}`;
    return `${this.#source.name} and the index disagree from block ${fork.ancestor + 1} on; its branch is not followed ${until}`;
  }

  /** The newest block that the index shares with the branch that the node was last seen on; undefined while that is ours. */
  get forkedAt(): number | undefined {
    return this.#seen?.fork?.ancestor;
  }

  /** The node is on our branch: whatever else was seen has not held. */
  reset(): void {
    this.#seen = undefined;
  }

  async checkHead(tip: Tip, head: Head): Promise<Look> {
    const number = Math.min(head.number, tip.number);
    const theirs = head.number <= tip.number ? head.hash : (await this.#source.hashes([number]))[0];
    if (theirs === undefined) return "unclear";
    const ours = number === tip.number ? tip.hash : (await this.#store.latest.blocks.byNumber(number))?.header.hash;
    const isOurs = ours === undefined ? !this.#source.authoritative : equalBytes(theirs, ours);
    if (!isOurs) return this.#note({ number, hash: theirs }, head);
    // Below the fork both branches have our block, so a node there takes no side.
    if (number > (this.#seen?.fork?.ancestor ?? -1)) this.reset();
    return head.number < tip.number ? "behind" : "ours";
  }

  /**
   * The newest block that the branch and the index share; throws where it is too deep. Undefined where the node is no
   * longer on the branch, as one behind a balancer may be from one answer to the next.
   */
  async ancestorOf(branch: Branch, head: Head): Promise<number | undefined> {
    const fork = branch.fork ?? (await this.#locate(branch, head));
    if (fork.ancestor >= branch.block.number) return undefined;
    branch.fork = fork;
    return fork.ancestor;
  }

  /** The branch was not where it was found: it is looked for again. */
  invalidate(branch: Branch): void {
    delete branch.fork;
  }

  /**
   * Whether the branch may be followed: at once where it is as high as the index and neither side was left before, else
   * when it has held. An authoritative source is always right.
   */
  isConfirmed(branch: Branch, tip: Tip, head: Head): boolean {
    const isAsHigh = head.number >= tip.number && (branch.fork?.left.length ?? 0) === 0;
    return this.#source.authoritative || isAsHigh || this.#hasHeld(branch);
  }

  /** Whether a block may take the place of ours. A balancer may have given one of a branch that was left, and not of this. */
  mayTake(branch: Branch, block: BlockId): boolean {
    return this.#amongLeft([block]).length === 0 || this.#hasHeld(branch);
  }

  /** The index leaves the branch of one block for that of another, which takes its place. */
  abandon(block: BlockId, replacement: BlockId): void {
    this.#seen = undefined;
    if (this.#source.authoritative) return;
    const left = this.#left.filter(({ hash }) => !equalBytes(hash, replacement.hash));
    this.#left = [...left, block].slice(-MAX_ABANDONED);
  }

  /** Whether the next block of the node is one that was taken back, and has not held since. */
  async isReturning(tip: Tip, head: Head): Promise<boolean> {
    const number = tip.number + 1;
    if (!this.#left.some((left) => left.number === number)) return false;
    const [hash] = await this.#source.hashes([number]);
    const left = this.#amongLeft([{ number, hash }]);
    if (hash === undefined || left.length === 0) return false;
    const branch = await this.#note({ number, hash }, head);
    branch.fork = { ancestor: tip.number, left };
    return !this.#hasHeld(branch);
  }

  #hasHeld({ looks, since }: Branch): boolean {
    return looks >= CONFIRM_LOOKS && this.#now() - since >= CONFIRM_MILLISECONDS;
  }

  async #note(block: BlockId, head: Head): Promise<Branch> {
    const isSame = await this.#isSame(block, head);
    const seen = (isSame ? this.#seen : undefined) ?? { block, since: this.#now(), looks: 0 };
    seen.looks++;
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

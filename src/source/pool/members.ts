import { quantity, toHex } from "../../chain/encoding/hex.ts";
import { ChainError } from "../../chain/error.ts";
import type { Head } from "../../chain/source.ts";
import type { UpstreamStatus } from "../../jsonrpc/backend.ts";
import { withTimeout } from "../../std/async.ts";
import type { Upstream } from "../upstream.ts";
import type { Anchor } from "./agreement.ts";
import { chooseView, compareBranches, continues, isOneBranch, MAX_LAG } from "./agreement.ts";
import type { Checkpoint } from "./headProof.ts";
import { headProblem } from "./headProof.ts";
import { GRACE, HANGING, Member } from "./member.ts";

export interface PollOptions {
  readonly pollInterval?: number;
  /** Milliseconds before a minority branch is followed, during which nodes of the previous branch may return. */
  readonly branchTimeout?: number;
  /** A node gave false data (with the reason), or is trusted again. */
  readonly onTrust?: ((at: number, reason: string | undefined) => void) | undefined;
}

/** Milliseconds to wait for slow nodes before reporting disagreement. */
const LAST_GRACE = 500;

/** Milliseconds that a call waits for head queries. */
export const POLL_TIMEOUT = 300;

/** Milliseconds after which nodes that failed are asked for their heads again while no other reports one. */
const RETRY_INTERVAL = 250;

export const BRANCH_TIMEOUT = 15_000;

/** Nodes of one chain: chooses the branch and the order in which to ask them. */
export class Members {
  readonly all: readonly Member[];
  readonly #pollInterval: number;
  readonly #branchTimeout: number;
  #chosen: Member | undefined;
  /** Its head when it was chosen: what it has shown since is not checked yet. */
  #head: Head | undefined;
  #anchor: (Anchor & { readonly at: number }) | undefined;
  #last: Member | undefined;
  #polling: Promise<void> | undefined;
  #polledAt = Number.NEGATIVE_INFINITY;

  constructor(upstreams: readonly Upstream[], options: PollOptions) {
    const { pollInterval = 1000, branchTimeout = BRANCH_TIMEOUT, onTrust } = options;
    this.all = upstreams.map((upstream) => new Member(upstream));
    for (const [at, { trust }] of this.all.entries()) trust.onChange = (reason) => onTrust?.(at, reason);
    this.#pollInterval = pollInterval;
    this.#branchTimeout = branchTimeout;
  }

  get states(): readonly UpstreamStatus[] {
    return this.all.map((member) => this.#stateOf(member));
  }

  /** Head of the followed branch as last seen. */
  get agreed(): Anchor | undefined {
    const head = this.#head;
    return head === undefined ? this.#anchor : { number: head.number, hash: toHex(head.hash) };
  }

  /** Highest block of the followed branch: a node that shows a lower head does not prove that the blocks above are gone. */
  get highest(): number | undefined {
    const { agreed } = this;
    return agreed && Math.max(agreed.number, this.#anchor?.number ?? 0);
  }

  commonHead(count: number): number | undefined {
    const heads = this.#fresh.map(({ head }) => head).sort((one, other) => other - one);
    const number = Math.min(heads[count - 1] ?? Number.NaN, this.agreed?.number ?? Number.NaN);
    return Number.isNaN(number) ? undefined : number;
  }

  /** Undefined if the height equals the agreed head; otherwise that head, refreshed if it is lower. */
  async agreeOn(height: number): Promise<string | undefined> {
    if (height === this.agreed?.number) return undefined;
    await this.pollHeadsFor(POLL_TIMEOUT);
    const number = this.agreed?.number;
    return number === undefined || number === height ? undefined : quantity(number);
  }

  async head(): Promise<Head> {
    await this.pollHeads();
    if (this.#head !== undefined) return this.#head;
    throw this.all.find(({ isFresh, failure }) => !isFresh && failure)?.failure ?? notAgreed();
  }

  /** Nodes on the followed branch, highest and fastest first; then those that are backing off or without a head. */
  ordered(need = 0): readonly Member[] {
    if (this.all.length === 1) return this.all;
    const followed = this.#trusted.filter((member) => !this.#isOnOtherBranch(member));
    const isUp = ({ isFresh, head }: Member) => isFresh && head >= (this.#anchor?.number ?? 0);
    // If no node has the head of the branch, the remaining ones are used as if alone.
    const usable = followed.some(isUp) ? followed : this.#trusted;
    const highest = Math.max(need, ...usable.map((member) => (member.isFresh ? member.head : 0)));
    const ranked = usable.map((member) => ({
      member,
      rests: member.isEjected ? 2 : Number(member.isResting || !member.isFresh || member.isLate),
      lags: Number(member.head < highest),
      cost: (member.latency + 1) * (1 + member.running),
    }));
    ranked.sort((one, other) => one.rests - other.rests || one.lags - other.lags || one.cost - other.cost);
    return ranked.map(({ member }) => member);
  }

  /** Whether one of these is known to have the head of the followed branch. */
  someUp(members: Iterable<Member>): boolean {
    const newest = this.#anchor?.number ?? 0;
    return [...members].some((member) => member.isFresh && !this.#isOnOtherBranch(member) && member.head >= newest);
  }

  /** Heads are polled while calls arrive. A call waits only if no branch is followed yet. */
  async keepPolling(): Promise<void> {
    if (this.all.length === 1 || performance.now() - this.#polledAt < this.#pollInterval) return;
    const polling = this.pollHeads();
    if (this.#anchor === undefined) await polling;
  }

  /** Excludes nodes that gave false data, unless all did. */
  get #trusted(): readonly Member[] {
    const trusted = this.all.filter(({ trust }) => trust.problem === undefined);
    return trusted.length > 0 ? trusted : this.all;
  }

  /** Excludes ejected nodes, unless all are. */
  get answering(): readonly Member[] {
    const trusted = this.#trusted;
    const answering = trusted.filter(({ isEjected }) => !isEjected);
    return answering.length > 0 ? answering : trusted;
  }

  get #fresh(): readonly Member[] {
    return this.answering.filter(({ isFresh }) => isFresh);
  }

  #isOnOtherBranch(member: Member): boolean {
    if (!member.isFresh) return false;
    if (this.#chosen !== undefined) return compareBranches(member, this.#chosen) === false;
    return this.#anchor !== undefined && !continues(member, this.#anchor);
  }

  #stateOf(member: Member): UpstreamStatus {
    const { upstream, newest, failure, latency, failed } = member;
    const { requests } = upstream.metrics;
    const lag = newest === undefined ? null : Math.max(0, (this.agreed?.number ?? 0) - member.head);
    return {
      name: upstream.name,
      state: this.#nameState(member, requests, lag ?? 0),
      reason: member.trust.problem ?? failure?.message ?? (member.isEjected ? "it does not answer" : null),
      head: newest === undefined ? null : member.head,
      lag,
      latencyMs: latency === 0 ? null : Math.round(latency),
      requests,
      failures: failed,
    };
  }

  #nameState(member: Member, requests: number, lag: number): UpstreamStatus["state"] {
    if (member.trust.problem !== undefined) return "invalid data";
    if (member.failure !== undefined || member.isEjected) return "failing";
    if (requests === 0) return "not asked yet";
    return this.#isOnOtherBranch(member) ? "on another branch" : lag > MAX_LAG ? "behind" : "ok";
  }

  /** Queries all heads, or joins a round in progress. */
  pollHeads(): Promise<void> {
    this.#polling ??= this.#pollNow().finally(() => {
      this.#polling = undefined;
    });
    return this.#polling;
  }

  async #pollNow(): Promise<void> {
    this.#polledAt = performance.now();
    const answering = this.answering;
    const polls = this.all.flatMap((member) => {
      const poll = member.pollHead();
      return answering.includes(member) ? poll : [];
    });
    await this.#firstHead();
    await settleWithin(polls, GRACE);
    await this.#compareAll();
    for (const { trust } of this.all) void trust.recheck();
    if (this.#choose()) return;
    // Slow nodes are heard before the branch changes or is lost.
    await settleWithin(polls, LAST_GRACE);
    await this.#compareAll();
    this.#choose();
  }

  /** Waits until a node reports its head. Those that failed are asked again meanwhile, since the others may hang. */
  async #firstHead(): Promise<void> {
    const began = this.#polledAt;
    const trusted = this.#trusted;
    for (;;) {
      const reports = Promise.any(trusted.map((member) => member.reportHead(began)));
      const isOver = reports.then(
        () => true,
        () => true,
      );
      if (await withTimeout(isOver, RETRY_INTERVAL, () => false)) return;
      if (performance.now() - began > HANGING && isDown(trusted)) return;
    }
  }

  /** Queries all heads and waits up to the given time. */
  pollHeadsFor(milliseconds: number): Promise<void> {
    return withTimeout(this.pollHeads(), milliseconds, () => {});
  }

  async #compareAll(): Promise<void> {
    const prompt = this.#fresh.filter(({ isLate }) => !isLate);
    await settleWithin(
      prompt.map((member) => this.#compare(member, this.#fresh)),
      LAST_GRACE,
    );
    await settleWithin(
      prompt.map((member) => this.#haveShown(member)),
      LAST_GRACE,
    );
  }

  /** Has the node link its head to a block of another node, or to the one followed before. */
  async #haveShown(member: Member): Promise<void> {
    if (member.isShown) return;
    const examine = () => headProblem(member, this.#checkpointsFor(member));
    const { head: number } = member;
    const hash = member.hashAt(number);
    const problem = await examine().catch(() => "unknown" as const);
    if (problem === undefined && hash !== undefined) member.noteShown({ number, hash });
    if (problem === undefined || problem === "unknown") return;
    // A node that went back meanwhile contradicts itself but did not lie.
    await member.pollHead();
    const isStill = member.head === number && member.hashAt(number) === hash;
    if (isStill) member.trust.blame(problem, async () => (await examine()) === undefined);
  }

  /** Nodes that are slow to show their heads now count with those they showed before. */
  #checkpointsFor(member: Member): Checkpoint[] {
    const others = this.#trusted.flatMap((other) => {
      const hash = other.hashAt(other.head);
      if (other === member || hash === undefined) return [];
      return [{ number: other.head, hash, isHashed: other.newest?.isHashed === true }];
    });
    return this.#anchor === undefined ? others : [...others, { ...this.#anchor, isHashed: false }];
  }

  async #compare(member: Member, others: readonly Member[]): Promise<void> {
    const heights = new Set(others.map(({ head }) => head));
    if (this.#anchor !== undefined) heights.add(this.#anchor.number);
    const unknown = [...heights].filter((height) => height < member.head && member.hashAt(height) === undefined);
    if (unknown.length > 0) await member.compare(unknown);
  }

  /**
   * Returns whether a branch is followed. A minority branch is not followed right after another, and ejected nodes do
   * not count for their old branch.
   */
  #choose(): boolean {
    const before = this.#anchor;
    const fresh = this.#fresh;
    const chosen = chooseView(fresh, { anchor: before, view: this.#last }, this.all.length);
    this.#chosen = undefined;
    this.#head = undefined;
    if (chosen?.newest === undefined) return false;
    const isContinued = before === undefined || continues(chosen, before);
    // A node below both branches counts for neither.
    const isFor = (member: Member) =>
      member.isSeenSince(this.#polledAt) &&
      isOneBranch(member, chosen) &&
      (before === undefined || member.head >= before.number);
    const isMajority = fresh.filter(isFor).length * 2 > this.all.length || chosen.upstream.authoritative;
    const isPast = before !== undefined && performance.now() - before.at >= this.#branchTimeout;
    if (!isContinued && !isMajority && !isPast) return false;
    this.#chosen = chosen;
    this.#head = chosen.newest.head;
    this.#last = chosen;
    // A lower head does not prove that the blocks above are gone.
    const isHigher = before === undefined || chosen.head >= before.number;
    if (isHigher || isMajority || isPast) {
      this.#anchor = { number: chosen.head, hash: toHex(chosen.newest.head.hash), at: performance.now() };
    }
    return true;
  }
}

/** Whether none is worth waiting for: some failed, the others hang. Where all are slow, they are waited for. */
function isDown(members: readonly Member[]): boolean {
  return members.some(({ isFailing }) => isFailing) && members.every((one) => one.isFailing || one.isEjected);
}

/** Bounded, so that a hanging node does not delay requests. */
async function settleWithin(promises: readonly Promise<void>[], milliseconds: number): Promise<void> {
  await withTimeout(Promise.all(promises), milliseconds, () => {});
}

function notAgreed(): ChainError {
  return new ChainError("upstream_unavailable", "the nodes do not agree on a chain at the moment");
}

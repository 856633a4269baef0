import type { Block } from "../chain/block/block.ts";
import type { Header } from "../chain/block/header.ts";
import { canStandOn, isDetached } from "../chain/block/header.ts";
import { equalBytes } from "../chain/encoding/bytes.ts";
import { toHex } from "../chain/encoding/hex.ts";
import type { ChainError } from "../chain/error.ts";
import { asChainError } from "../chain/error.ts";
import { checkBlock, type Findings } from "../chain/integrity/integrity.ts";
import type { Head, Source } from "../chain/source.ts";
import type { Tip } from "../store/read/blocks.ts";
import type { StageFeed } from "../store/stages/stage.ts";
import type { Store } from "../store/store.ts";
import { ForkError } from "./ancestor.ts";
import type { BalanceFollower } from "./balances/balanceFollower.ts";
import { JoinedBlocks } from "./batch.ts";
import type { Branch } from "./branches.ts";
import { Branches } from "./branches.ts";
import { Committer } from "./commit.ts";
import type { Derived } from "./derivation.ts";
import { Derivation } from "./derivation.ts";
import type { FetchLimits } from "./fetchAhead.ts";
import { fetchAhead } from "./fetchAhead.ts";
import type { IntegrityMode } from "./integrityPolicy.ts";
import { IntegrityPolicy } from "./integrityPolicy.ts";
import { journalFor } from "./journal.ts";
import { explainMissing } from "./missingHistory.ts";
import type { TraceFollower } from "./traces/traceFollower.ts";

export interface IndexerOptions {
  readonly store: Store;
  readonly source: Source;
  /** Fetches the same blocks while the index is far behind. */
  readonly backfill?: Pick<Source, "blocks"> | undefined;
  readonly fromBlock?: number;
  readonly integrity?: IntegrityMode;
  readonly stages?: readonly StageFeed[];
  /** Advances the traces stage after the core. */
  readonly traces?: Pick<TraceFollower, "step"> | undefined;
  /** Advances native balances after the traces. */
  readonly balances?: Pick<BalanceFollower, "step"> | undefined;
  readonly fetchLimits?: FetchLimits;
  readonly keepBlobs?: ((block: Block) => Promise<void>) | undefined;
  readonly onProgress?: (progress: Progress) => void;
  readonly onEvent?: (event: IndexerEvent) => void;
  readonly now?: () => number;
}

/** Blocks behind the head from which on they are backfilled. */
export const BACKFILL_DISTANCE = 500;

/** Changes to the index other than new blocks. */
export type IndexerEvent =
  | { readonly kind: "unwound"; readonly from: number; readonly to: number; readonly milliseconds: number }
  | { readonly kind: "cleared"; readonly code: "chain_reset" | "deep_reorg"; readonly milliseconds: number }
  | ({ readonly kind: "derived" } & Derived);

export interface Progress {
  readonly head: number;
  readonly indexed: number;
  readonly transactions: number;
}

/** Result of one step. `stale`: the node is behind the index. */
export type Step = "idle" | "stale" | "unwound" | "appended" | "cleared" | "derived";

/** Makes the store follow the source. `step` leaves the store consistent whatever happens. */
export class Indexer {
  readonly #store: Store;
  readonly #source: Source;
  readonly #options: IndexerOptions;
  readonly #branches: Branches;
  readonly #committer: Committer;
  readonly #derivation: Derivation;
  #policy: IntegrityPolicy | undefined;
  #genesisChecked = false;
  #unreached: string | undefined;

  constructor(options: IndexerOptions) {
    this.#store = options.store;
    this.#source = options.source;
    this.#options = options;
    this.#branches = new Branches(options);
    this.#committer = new Committer(options);
    this.#derivation = new Derivation(options.store, options.stages ?? []);
  }

  /** Human-readable; undefined while the node is on our branch and has reached the first block. */
  get waitsFor(): string | undefined {
    return this.#unreached ?? this.#branches.disagreement;
  }

  /** Newest block shared with a node on another branch; undefined while it is on ours. */
  get forkedAt(): number | undefined {
    return this.#branches.forkedAt;
  }

  async step(): Promise<Step> {
    try {
      return await this.#round();
    } catch (error) {
      // Discards findings of blocks that were not stored.
      this.#policy = undefined;
      this.#derivation.restart();
      throw error;
    }
  }

  async #round(): Promise<Step> {
    this.#policy ??= IntegrityPolicy.restore(
      this.#options.integrity ?? "auto",
      await this.#store.latest.meta("integrity"),
    );
    const head = await this.#source.head();
    if (!this.#genesisChecked && (await this.#checkGenesis()) === "cleared") return "cleared";
    const isBehind = !this.#derivation.isDone && (await this.#derive());
    const step = await this.#advance(head);
    await this.#options.traces?.step(step === "idle");
    await this.#options.balances?.step(step === "idle");
    return step === "idle" && isBehind ? "derived" : step;
  }

  async #advance(head: Head): Promise<Step> {
    const tip = await this.#store.latest.blocks.tip();
    if (tip === undefined) return this.#append(undefined, head);
    if (head.number <= tip.number) return this.#reorganise(tip, head);
    if (await this.#branches.isReturning(tip, head)) return "stale";
    const step = await this.#append(tip, head);
    if (step === "idle") return this.#reorganise(tip, head);
    this.#branches.reset();
    return step;
  }

  /** Returns true while there is more to do. New blocks take priority. */
  async #derive(): Promise<boolean> {
    const derived = await this.#derivation.step();
    if (derived !== undefined) this.#emit({ kind: "derived", ...derived });
    return !this.#derivation.isDone;
  }

  /** Detects a restarted chain: same id, different genesis. */
  async #checkGenesis(): Promise<"same" | "cleared"> {
    const [genesis] = await this.#source.hashes([0]);
    const known = await this.#store.latest.meta("genesis");
    const isOther = genesis !== undefined && known !== undefined && known !== toHex(genesis);
    if (isOther && !this.#source.authoritative) {
      throw new ForkError(
        "chain_reset",
        `${this.#source.name} has genesis ${toHex(genesis)}, the index has ${known}. To follow it, start with --dev if it is a development chain, or delete the data directory`,
        -1,
      );
    }
    if (isOther) await this.#clear("chain_reset");
    if (genesis !== undefined) await this.#store.setMeta({ genesis: toHex(genesis) });
    this.#genesisChecked = true;
    return isOther ? "cleared" : "same";
  }

  async #clear(code: "chain_reset" | "deep_reorg"): Promise<void> {
    const start = performance.now();
    await this.#store.clear();
    this.#policy = undefined;
    this.#genesisChecked = false;
    this.#branches.reset();
    this.#emit({ kind: "cleared", code, milliseconds: performance.now() - start });
  }

  #emit(event: IndexerEvent): void {
    this.#options.onEvent?.(event);
  }

  /** Appends blocks between tip and head. `idle` if none extends the tip. */
  async #append(tip: Tip | undefined, head: Head): Promise<Step> {
    const { fromBlock = 0 } = this.#options;
    const from = tip === undefined ? fromBlock : tip.number + 1;
    const isUnreached = tip === undefined && from > head.number;
    this.#unreached = isUnreached ? unreached(this.#source, from, head) : undefined;
    if (from > head.number) return "idle";
    const journal = await journalFor(this.#source, head, from);
    const isFar = head.number - from >= BACKFILL_DISTANCE;
    const { fetchLimits: limits, backfill } = this.#options;
    const fetched = fetchAhead(this.#source, from, head.number, {
      ...(limits !== undefined && { limits }),
      ...(isFar && { backfill }),
    });
    const stream = new JoinedBlocks(fetched, tip, this.#source);
    const checking = {
      check: (block: Block) => this.#checked(block),
      notes: () => ({ integrity: JSON.stringify(this.#policy!.record), integrityMode: this.#policy!.mode }),
    };
    const onCommit = (newest: Tip) =>
      this.#options.onProgress?.({
        head: head.number,
        indexed: newest.number,
        transactions: newest.totals.transactions,
      });
    let commits: number;
    try {
      commits = await this.#committer.commit(stream, checking, { head: head.number, journal }, onCommit);
    } catch (error) {
      throw (await this.#explainMissing(head, asChainError(error)).catch(() => undefined)) ?? error;
    } finally {
      await fetched.return(undefined);
    }
    if (commits > 0) return "appended";
    const problem = await this.#explainMissing(head);
    if (problem !== undefined) throw problem;
    return "idle";
  }

  async #explainMissing({ number: head }: Head, cause?: ChainError): Promise<ChainError | undefined> {
    const tip = await this.#store.latest.blocks.tip();
    const number = tip === undefined ? (this.#options.fromBlock ?? 0) : tip.number + 1;
    return explainMissing(this.#source, { number, head, isFirst: tip === undefined }, cause);
  }

  /** A failing block is fetched once more: the node may have answered during a change. */
  async #checked(block: Block): Promise<Block> {
    const first = checkBlock(block);
    if (this.#policy!.isSettled(first)) return this.#accept(block, first);
    const again = (await this.#source.block(block.header.hash)) ?? block;
    if (!equalBytes(again.header.hash, block.header.hash)) return this.#accept(block, first);
    return this.#accept(again, checkBlock(again));
  }

  #accept(block: Block, findings: Findings): Block {
    this.#policy!.judge(findings, block.header.number);
    return block;
  }

  /**
   * Handles a source that does not extend the tip. Only a different hash at an indexed height is a reorg; a lagging
   * node is waited for, unless it is authoritative. Nothing is unwound before the replacement block is available,
   * passes the checks and extends the ancestor.
   */
  async #reorganise(tip: Tip, head: Head): Promise<Step> {
    const seen = await this.#branches.checkHead(tip, head);
    if (seen === "ours") return "idle";
    if (seen === "unclear" || (seen === "behind" && !this.#source.authoritative)) return "stale";
    if (seen !== "behind" && seen.checks === 1) {
      this.#genesisChecked = false;
      if ((await this.#checkGenesis()) === "cleared") return "cleared";
    }
    try {
      return seen === "behind" ? await this.#unwind(tip, head.number) : await this.#followBranch(seen, tip, head);
    } catch (error) {
      // An authoritative source is followed to any depth.
      if (asChainError(error).code !== "deep_reorg") throw error;
      if (seen !== "behind" && !this.#branches.isConfirmed(seen, tip, head)) throw error;
      if (!this.#source.authoritative && !(await this.#isAllReplaced())) throw error;
      await this.#clear("deep_reorg");
      return "cleared";
    }
  }

  async #followBranch(branch: Branch, tip: Tip, head: Head): Promise<Step> {
    const ancestor = await this.#branches.ancestorOf(branch, head);
    if (ancestor === undefined || !this.#branches.isConfirmed(branch, tip, head)) return "stale";
    const replacement = await this.#replacementOf(ancestor);
    if (replacement === undefined || !this.#branches.mayTake(branch, replacement)) {
      this.#branches.invalidate(branch);
      return "stale";
    }
    const { header } = (await this.#store.latest.blocks.byNumber(ancestor + 1))!;
    const step = await this.#unwind(tip, ancestor);
    this.#branches.abandon(header, replacement);
    return step;
  }

  async #unwind(tip: Tip, number: number): Promise<Step> {
    const start = performance.now();
    await this.#store.unwind(number);
    this.#emit({ kind: "unwound", from: tip.number, to: number, milliseconds: performance.now() - start });
    return "unwound";
  }

  /** A reorg below the first block of a young index replaces all of it. */
  async #isAllReplaced(): Promise<boolean> {
    const { number, hash } = (await this.#store.latest.blocks.first())!.header;
    const canBeginAgain = number > 0 && number === this.#options.fromBlock;
    if (!canBeginAgain || (await this.#store.latest.oldestUnwindable()) > number) return false;
    const replacement = await this.#source.block(number);
    if (replacement === undefined) return false;
    const { header } = await this.#checked(replacement);
    return !equalBytes(header.hash, hash);
  }

  /** The source's block above the ancestor, if it may replace ours. */
  async #replacementOf(ancestor: number): Promise<Header | undefined> {
    const ours = await this.#store.latest.blocks.headers([ancestor, ancestor + 1]);
    const replacement = await this.#source.block(ancestor + 1);
    if (replacement === undefined) return undefined;
    const { header } = await this.#checked(replacement);
    // Counted when it is stored.
    this.#policy = undefined;
    const isPlaced = this.#source.authoritative || !isDetached(header);
    const joins = isPlaced && canStandOn(header, ours.get(ancestor)!.header);
    return joins && !equalBytes(header.hash, ours.get(ancestor + 1)!.header.hash) ? header : undefined;
  }
}

function unreached(source: Source, from: number, head: Head): string {
  return `${source.name} is at block ${head.number}, below --from-block ${from}; indexing begins when it gets there. To begin now, choose a lower --from-block`;
}

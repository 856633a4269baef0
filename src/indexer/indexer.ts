import type { Block } from "../chain/block.ts";
import { equalBytes } from "../chain/bytes.ts";
import { asChainError, ChainError } from "../chain/error.ts";
import { toHex } from "../chain/hex.ts";
import type { Head, Source } from "../chain/source.ts";
import type { Tip } from "../store/blocks.ts";
import type { Store } from "../store/store.ts";
import { findAncestor } from "./ancestor.ts";
import type { FetchLimits } from "./fetchAhead.ts";
import { FETCH_LIMITS, fetchAhead, weigh } from "./fetchAhead.ts";
import { checkBlock, type Findings } from "./integrity.ts";
import type { IntegrityMode } from "./integrityPolicy.ts";
import { IntegrityPolicy } from "./integrityPolicy.ts";

export interface IndexerOptions {
  readonly store: Store;
  readonly source: Source;
  /** The first block of an index that does not exist yet. */
  readonly fromBlock?: number;
  readonly integrity?: IntegrityMode;
  readonly fetchLimits?: FetchLimits;
  /** Called after every commit. */
  readonly onProgress?: (progress: Progress) => void;
}

export interface Progress {
  readonly head: number;
  readonly indexed: number;
  readonly transactions: number;
}

/** What one round did: nothing, wait for a node that is behind us, take blocks back, or add some. */
export type Step = "idle" | "stale" | "unwound" | "appended" | "cleared";

/** This close to the head every block is committed by itself. */
const HEAD_DISTANCE = 8;
const BATCH_BLOCKS = 256;
const BATCH_BYTES = 32 << 20;

/** The loop that makes the store follow the source. `step` is one round and leaves the store whole whatever happens. */
export class Indexer {
  readonly #store: Store;
  readonly #source: Source;
  readonly #options: IndexerOptions;
  #policy: IntegrityPolicy | undefined;
  #genesisChecked = false;

  constructor(options: IndexerOptions) {
    this.#store = options.store;
    this.#source = options.source;
    this.#options = options;
  }

  async step(): Promise<Step> {
    try {
      return await this.#round();
    } catch (error) {
      // What was noted of blocks that are not stored must not count.
      this.#policy = undefined;
      throw error;
    }
  }

  async #round(): Promise<Step> {
    this.#policy ??= IntegrityPolicy.restore(this.#options.integrity ?? "auto", await this.#store.meta("integrity"));
    const head = await this.#source.head();
    if (!this.#genesisChecked && (await this.#checkGenesis()) === "cleared") return "cleared";
    const tip = await this.#store.blocks.tip();
    if (tip === undefined) return this.#append(undefined, head);
    if (head.number > tip.number) {
      const step = await this.#append(tip, head);
      return step === "idle" ? this.#reorganise(tip, head) : step;
    }
    if (head.number === tip.number && equalBytes(head.hash, tip.hash)) return "idle";
    return this.#reorganise(tip, head);
  }

  /** Recognises a chain that began again: the same id, another genesis block. */
  async #checkGenesis(): Promise<"same" | "cleared"> {
    const [genesis] = await this.#source.hashes([0]);
    const known = await this.#store.meta("genesis");
    const isOther = genesis !== undefined && known !== undefined && known !== toHex(genesis);
    if (isOther && !this.#source.authoritative) {
      throw new ChainError(
        "chain_reset",
        `${this.#source.name} has genesis ${toHex(genesis)}, the index has ${known}; delete the data directory to follow it`,
      );
    }
    if (isOther) await this.#clear();
    if (genesis !== undefined) await this.#store.setMeta({ genesis: toHex(genesis) });
    this.#genesisChecked = true;
    return isOther ? "cleared" : "same";
  }

  async #clear(): Promise<void> {
    await this.#store.clear();
    this.#policy = undefined;
    this.#genesisChecked = false;
  }

  /** Adds the blocks between tip and head. `idle` means that not one of them joins on to the tip. */
  async #append(tip: Tip | undefined, head: Head): Promise<Step> {
    const from = tip === undefined ? (this.#options.fromBlock ?? 0) : tip.number + 1;
    if (from > head.number) return "idle";
    const batch = new Batch(tip);
    try {
      return await this.#appendAll(batch, from, head.number);
    } catch (error) {
      if (batch.blocks.length > 0) await this.#commit(batch, head.number);
      throw error;
    }
  }

  async #appendAll(batch: Batch, from: number, head: number): Promise<Step> {
    let step: Step = "idle";
    for await (const blocks of fetchAhead(this.#source, from, head, this.#options.fetchLimits ?? FETCH_LIMITS)) {
      for (const block of blocks) {
        const isJoined = batch.joins(block);
        if (isJoined) batch.add(await this.#checked(block));
        if (batch.blocks.length > 0 && (!isJoined || batch.isFull(head))) {
          await this.#commit(batch, head);
          step = "appended";
        }
        if (!isJoined) return step;
      }
    }
    if (batch.blocks.length === 0) return step;
    await this.#commit(batch, head);
    return "appended";
  }

  /** Checks a block; one that fails is fetched once more, since a node may have answered in the middle of a change. */
  async #checked(block: Block): Promise<Block> {
    const first = checkBlock(block);
    if (first.failed.length === 0) return this.#accept(block, first);
    const again = (await this.#source.block(block.header.hash)) ?? block;
    if (!equalBytes(again.header.hash, block.header.hash)) return this.#accept(block, first);
    return this.#accept(again, checkBlock(again));
  }

  #accept(block: Block, findings: Findings): Block {
    this.#policy!.judge(findings, block.header.number);
    return block;
  }

  async #commit(batch: Batch, head: number): Promise<void> {
    const integrity = JSON.stringify(this.#policy!.record);
    batch.tip = await this.#store.append(batch.take(), head, { integrity });
    const { number, totals } = batch.tip;
    this.#options.onProgress?.({ head, indexed: number, transactions: totals.transactions });
  }

  /**
   * The source does not continue our tip. Only another hash at a height we hold is a reorganisation: a node that is
   * merely behind is waited for, unless it is authoritative. Before anything is taken back, the block that takes the
   * place of ours has to be there, pass the checks and join on to the common ancestor.
   */
  async #reorganise(tip: Tip, head: Head): Promise<Step> {
    this.#genesisChecked = false;
    if ((await this.#checkGenesis()) === "cleared") return "cleared";
    const isLower = head.number < tip.number;
    if (isLower && !this.#source.authoritative) return "stale";
    const height = Math.min(head.number, tip.number);
    const [theirs] = await this.#source.hashes([height]);
    if (theirs === undefined) return "stale";
    if (!isLower && equalBytes(theirs, tip.hash)) return "idle";
    try {
      return await this.#unwind(height);
    } catch (error) {
      // An authoritative source is followed however far back it goes.
      if (!this.#source.authoritative || asChainError(error).code !== "deep_reorg") throw error;
      await this.#clear();
      return "cleared";
    }
  }

  async #unwind(height: number): Promise<Step> {
    const ancestor = await findAncestor(this.#store, this.#source, height);
    if (ancestor < height && !(await this.#isReplaced(ancestor))) return "stale";
    await this.#store.unwind(ancestor);
    return "unwound";
  }

  async #isReplaced(ancestor: number): Promise<boolean> {
    const ours = await this.#store.blocks.headers([ancestor, ancestor + 1]);
    const replacement = await this.#source.block(ancestor + 1);
    if (replacement === undefined) return false;
    const { header } = await this.#checked(replacement);
    // It is counted when it is stored.
    this.#policy = undefined;
    return (
      equalBytes(header.parentHash, ours.get(ancestor)!.header.hash) &&
      !equalBytes(header.hash, ours.get(ancestor + 1)!.header.hash)
    );
  }
}

/** Blocks that will be committed together. */
class Batch {
  tip: Tip | undefined;
  blocks: Block[] = [];
  #bytes = 0;

  constructor(tip: Tip | undefined) {
    this.tip = tip;
  }

  joins({ header }: Block): boolean {
    const last = this.blocks.at(-1)?.header ?? this.tip;
    return last === undefined || (header.number === last.number + 1 && equalBytes(header.parentHash, last.hash));
  }

  add(block: Block): void {
    this.blocks.push(block);
    this.#bytes += weigh(block);
  }

  isFull(head: number): boolean {
    const last = this.blocks.at(-1)!.header.number;
    return last > head - HEAD_DISTANCE || this.blocks.length >= BATCH_BLOCKS || this.#bytes >= BATCH_BYTES;
  }

  /** Empties it, for a commit that is tried once. */
  take(): readonly Block[] {
    const { blocks } = this;
    this.blocks = [];
    this.#bytes = 0;
    return blocks;
  }
}

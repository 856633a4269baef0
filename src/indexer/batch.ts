import type { Block } from "../chain/block/block.ts";
import type { Header } from "../chain/block/header.ts";
import { canStandOn, isDetached } from "../chain/block/header.ts";
import { equalBytes } from "../chain/encoding/bytes.ts";
import { ChainError } from "../chain/error.ts";
import type { Source } from "../chain/source.ts";
import { estimateBytes } from "./fetchAhead.ts";

type Link = Pick<Header, "number" | "hash">;

/** Fetched blocks in order, as long as each extends the previous one. */
export class JoinedBlocks {
  readonly #fetched: AsyncGenerator<Block[]>;
  readonly #source: Pick<Source, "authoritative" | "hashes">;
  #last: Link | undefined;
  #waiting: Block[] = [];
  /** Detached blocks whose position the node has confirmed. */
  #confirmed = new Set<Block>();

  constructor(
    fetched: AsyncGenerator<Block[]>,
    tip: Link | undefined,
    source: Pick<Source, "authoritative" | "hashes">,
  ) {
    this.#fetched = fetched;
    this.#source = source;
    this.#last = tip;
  }

  /** Undefined where the source ends or leaves the branch. */
  async peek(): Promise<Block | undefined> {
    if (this.#waiting.length === 0) {
      const { value } = await this.#fetched.next();
      this.#waiting = value ?? [];
      this.#confirmed = await this.#confirm(this.#waiting);
    }
    const [block] = this.#waiting;
    return block !== undefined && this.#joins(block) ? block : undefined;
  }

  take(): void {
    this.#last = this.#waiting.shift()!.header;
  }

  #joins(block: Block): boolean {
    const last = this.#last;
    if (last === undefined) return true;
    return canStandOn(block.header, last) && (!isDetached(block.header) || this.#confirmed.has(block));
  }

  /** Verifies detached blocks by asking for the hashes around them. */
  async #confirm(blocks: readonly Block[]): Promise<Set<Block>> {
    const detached = blocks.filter(({ header }) => isDetached(header));
    if (detached.length === 0) return new Set();
    if (!this.#source.authoritative) throw unconfirmed(detached[0]!);
    const known = new Map(blocks.map(({ header }) => [header.number, header.hash]));
    if (this.#last !== undefined) known.set(this.#last.number, this.#last.hash);
    const numbers = [...known.keys()];
    const hashes = await this.#source.hashes(numbers);
    const isThere = new Set(numbers.filter((number, at) => hashes[at] && equalBytes(hashes[at], known.get(number)!)));
    return new Set(detached.filter(({ header }) => isThere.has(header.number) && isThere.has(header.number - 1)));
  }
}

function unconfirmed({ header }: Block): ChainError {
  const message = `block ${header.number}: parentHash is zero, so nothing says what the block stands on`;
  return new ChainError("upstream_invalid", `${message}. If this is a development chain, start with --dev`);
}

/** Within this distance of the head, every block is its own commit. */
const HEAD_DISTANCE = 8;

/** Derived rows (transfers, balances, list entries) stay in memory until the commit. */
export const BATCH_LIMITS = { blocks: 1024, bytes: 40 << 20, transfers: 100_000 };

/** Blocks converted to rows together: their keys are looked up at once, which is cheaper the more there are. */
const PART_LIMITS = { blocks: 64, bytes: 1 << 20 };

type BatchLimits = Readonly<Record<keyof typeof BATCH_LIMITS, number>>;

/** Of an engine on which commits of backfill are so many times larger. */
export function batchLimits(factor: number): BatchLimits {
  const { blocks, bytes, transfers } = BATCH_LIMITS;
  return { blocks: blocks * factor, bytes: bytes * factor, transfers: transfers * factor };
}

/** Decides when to commit: large batches while behind, single blocks near the head. */
export class BatchSize {
  readonly #head: number;
  readonly #limits: BatchLimits;
  #blocks = 0;
  #bytes = 0;
  #transfers = 0;
  #last = 0;
  #part = { blocks: 0, bytes: 0 };

  constructor(head: number, limits: BatchLimits = BATCH_LIMITS) {
    this.#head = head;
    this.#limits = limits;
  }

  get blocks(): number {
    return this.#blocks;
  }

  get isEmpty(): boolean {
    return this.#blocks === 0;
  }

  get isFull(): boolean {
    if (this.isEmpty) return false;
    const { blocks, bytes, transfers } = this.#limits;
    const isLarge = this.#bytes >= bytes || this.#transfers >= transfers;
    return this.#last > this.#head - HEAD_DISTANCE || this.#blocks >= blocks || isLarge;
  }

  get isPartFull(): boolean {
    return this.#part.blocks >= PART_LIMITS.blocks || this.#part.bytes >= PART_LIMITS.bytes;
  }

  beginPart(): void {
    this.#part = { blocks: 0, bytes: 0 };
  }

  count(block: Block): void {
    const bytes = estimateBytes(block);
    this.#blocks++;
    this.#bytes += bytes;
    this.#transfers += aboutTransfers(block);
    this.#last = block.header.number;
    this.#part.blocks++;
    this.#part.bytes += bytes;
  }
}

/** One per log, or one per two words for a batch transfer. */
function aboutTransfers({ receipts }: Block): number {
  let count = 0;
  for (const { logs } of receipts) for (const { data } of logs) count += 1 + (data.length >>> 6);
  return count;
}

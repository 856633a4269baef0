import type { Block } from "../chain/block/block.ts";
import { BLOB_SIZE } from "../chain/block/sidecar.ts";
import type { Extra } from "../chain/encoding/extra.ts";
import type { Source } from "../chain/source.ts";

export interface FetchLimits {
  readonly requests: number;
  /** Approximate memory of fetched blocks. */
  readonly bytes: number;
}

export const FETCH_LIMITS: FetchLimits = { requests: 3, bytes: 8 << 20 };

const MAX_BLOCKS = 64;

/** Larger blocks come from the source itself, so that no two threads have memory for such blocks at a time. */
export const MAX_BACKFILLED_BYTES = 16 << 20;

type Blocks = Pick<Source, "blocks">;

interface FetchOptions {
  readonly limits?: FetchLimits;
  /** Fetches the same blocks in another thread. */
  readonly backfill?: Blocks | undefined;
}

interface Span {
  readonly count: number;
  readonly bytes: number;
  readonly blocks: Promise<Block[]>;
}

/**
 * Prefetches blocks [from, to] in order. Pending and buffered data stay within the limits: starts with one block, sizes
 * requests by the latest blocks, pauses while enough bytes are pending, and truncates a request that turns out larger.
 * Only a single block may exceed the limit.
 */
export async function* fetchAhead(
  source: Blocks,
  from: number,
  to: number,
  { limits = FETCH_LIMITS, backfill = source }: FetchOptions = {},
): AsyncGenerator<Block[]> {
  const share = limits.bytes / limits.requests;
  let queue: Span[] = [];
  let next = from;
  let weight: number | undefined;
  try {
    for (;;) {
      while (queue.length < limits.requests && next <= to && hasRoom(queue, weight, limits)) {
        const affordable = weight === undefined ? 1 : Math.max(Math.floor(share / weight), 1);
        const count = Math.min(affordable, MAX_BLOCKS, to - next + 1);
        const isBackfilled = weight !== undefined && weight <= MAX_BACKFILLED_BYTES;
        const blocks = fetchSpan(isBackfilled ? backfill : source, next, count, share);
        blocks.catch(() => {});
        queue.push({ count, bytes: count * (weight ?? 0), blocks });
        next += count;
      }
      const span = queue.shift();
      if (span === undefined) return;
      const blocks = await span.blocks;
      const last = blocks.at(-1);
      if (last === undefined) return;
      weight = Math.max((weight ?? 0) / 2, ...blocks.map(estimateBytes));
      if (blocks.length < span.count) {
        // Later requests do not extend these blocks.
        await settled(queue);
        queue = [];
        next = last.header.number + 1;
      }
      yield blocks;
    }
  } finally {
    await settled(queue);
  }
}

function hasRoom(queue: readonly Span[], weight: number | undefined, limits: FetchLimits): boolean {
  if (queue.length === 0) return true;
  if (weight === undefined) return false;
  const underWay = queue.reduce((sum, { bytes }) => sum + bytes, 0);
  return underWay + weight <= limits.bytes;
}

async function settled(spans: readonly Span[]): Promise<void> {
  await Promise.allSettled(spans.map(({ blocks }) => blocks));
}

/**
 * Repeats short answers until the span is complete, the source ends or the size limit is reached. An error is only
 * thrown for the first block, so that blocks before it are kept.
 */
async function fetchSpan(source: Blocks, from: number, count: number, bytes: number): Promise<Block[]> {
  const blocks: Block[] = [];
  for (let left = bytes; blocks.length < count && left > 0; ) {
    const part = await source.blocks(from + blocks.length, count - blocks.length).catch((error: unknown) => {
      if (blocks.length === 0) throw error;
      return [];
    });
    if (part.length === 0) break;
    blocks.push(...part);
    for (const block of part) left -= estimateBytes(block);
  }
  return blocks;
}

export function estimateBytes(block: Block): number {
  let bytes = 4096 + weighExtra(block.header.extra);
  for (const { sidecar } of block.sidecars ?? []) bytes += (sidecar?.blobs.length ?? 0) * BLOB_SIZE;
  for (const [index, tx] of block.transactions.entries()) {
    const { logs, extra } = block.receipts[index]!;
    bytes +=
      2048 + tx.input.length + 1024 * (tx.authorizationList?.length ?? 0) + weighExtra(tx.extra) + weighExtra(extra);
    for (const { storageKeys } of tx.accessList ?? []) bytes += 256 + 128 * storageKeys.length;
    for (const log of logs) bytes += 512 + log.data.length + weighExtra(log.extra);
  }
  return bytes;
}

function weighExtra(extra: Extra | undefined): number {
  if (extra === undefined) return 0;
  let bytes = 0;
  for (const value of Object.values(extra)) {
    bytes += 128 + (typeof value === "string" ? value.length : (JSON.stringify(value)?.length ?? 0));
  }
  return bytes;
}

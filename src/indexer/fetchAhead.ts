import type { Block } from "../chain/block/block.ts";
import { BLOB_SIZE } from "../chain/block/sidecar.ts";
import type { Extra } from "../chain/encoding/extra.ts";
import type { Source } from "../chain/source.ts";

export interface FetchLimits {
  /** Requests under way at once. */
  readonly requests: number;
  /** Roughly how much memory fetched blocks may take. */
  readonly bytes: number;
}

export const FETCH_LIMITS: FetchLimits = { requests: 3, bytes: 8 << 20 };

const MAX_BLOCKS = 64;

interface Span {
  readonly count: number;
  /** What it is expected to bring. */
  readonly bytes: number;
  readonly blocks: Promise<Block[]>;
}

/**
 * Fetches the blocks [from, to] in order, some requests ahead of the consumer. What is under way and what waits
 * together stay within the limits: it begins with one block, the span of a request follows the weight of the last
 * blocks, nothing more is asked for while as many bytes are on their way, and a span that turns out heavier is cut
 * short. Only a block that is itself heavier than the limit passes it, and comes alone.
 */
export async function* fetchAhead(
  source: Source,
  from: number,
  to: number,
  limits: FetchLimits = FETCH_LIMITS,
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
        const blocks = fetchSpan(source, next, count, share);
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
        // What was asked for ahead does not join on to these.
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
 * A source may answer fewer blocks than asked; the rest of the span is asked for until it has no more or is full.
 * A failure comes from the span it is the first block of, so that the blocks before it are had.
 */
async function fetchSpan(source: Source, from: number, count: number, bytes: number): Promise<Block[]> {
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

/** About how many bytes a decoded block takes. */
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

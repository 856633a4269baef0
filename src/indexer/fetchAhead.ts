import type { Block } from "../chain/block.ts";
import type { Source } from "../chain/source.ts";

export interface FetchLimits {
  /** Requests under way at once. */
  readonly requests: number;
  /** Roughly how much memory fetched blocks may take. */
  readonly bytes: number;
}

export const FETCH_LIMITS: FetchLimits = { requests: 3, bytes: 48 << 20 };

const MOST_BLOCKS = 64;

/**
 * Fetches the blocks [from, to] in order, some requests ahead of the consumer. What is under way and what waits
 * together stay within the limits: the span of a request follows the weight of the last blocks.
 */
export async function* fetchAhead(
  source: Source,
  from: number,
  to: number,
  limits: FetchLimits = FETCH_LIMITS,
): AsyncGenerator<Block[]> {
  const queue: Promise<Block[]>[] = [];
  let next = from;
  let weight = 64 << 10;
  try {
    for (;;) {
      while (queue.length < limits.requests && next <= to) {
        const fit = Math.floor(limits.bytes / limits.requests / weight);
        const count = Math.min(Math.max(fit, 1), MOST_BLOCKS, to - next + 1);
        const request = fetchSpan(source, next, count);
        request.catch(() => {});
        queue.push(request);
        next += count;
      }
      const request = queue.shift();
      if (request === undefined) return;
      const blocks = await request;
      if (blocks.length === 0) return;
      weight = Math.max(weight / 2, ...blocks.map(weigh));
      yield blocks;
    }
  } finally {
    await Promise.allSettled(queue);
  }
}

/** A source may answer fewer blocks than asked; the rest of the span is asked for until it has no more. */
async function fetchSpan(source: Source, from: number, count: number): Promise<Block[]> {
  const blocks: Block[] = [];
  while (blocks.length < count) {
    const part = await source.blocks(from + blocks.length, count - blocks.length);
    if (part.length === 0) break;
    blocks.push(...part);
  }
  return blocks;
}

/** About how many bytes a decoded block takes. */
export function weigh(block: Block): number {
  let bytes = 4096;
  for (const [index, tx] of block.transactions.entries()) {
    bytes += 2048 + tx.input.length;
    for (const log of block.receipts[index]!.logs) bytes += 512 + log.data.length;
  }
  return bytes;
}

import { asChainError, ChainError } from "../chain/error.ts";
import type { Source } from "../chain/source.ts";
import { findHighest } from "../std/findHighest.ts";

/** A block that is missing so far below the head is none that the node is about to have. */
export const OLD_BLOCKS = 128;

/** What nodes say of blocks and receipts that they do not keep, and our own words for receipts that are not there. */
const DROPPED =
  /pruned|missing trie node|histor(y|ical)\b.*\bunavailable|has not all \d+ receipts|has no receipt of|not (be )?found/i;

/** What nodes say of states that they do not keep. */
const DROPPED_STATE =
  /missing trie node|pruned|(state|histor(y|ical))\b.*\b(unavailable|not available|not found)|required historical state/i;

/** Why the state at a block could not be had, and what to do where the node does not keep it for so long. */
export function explainState(reason: string): string {
  if (!DROPPED_STATE.test(reason)) return reason;
  return `${reason}; use a node that keeps all states (an archive node), or leave --traces out`;
}

/** The next block to index. */
export interface NextBlock {
  readonly number: number;
  readonly head: number;
  /** Whether it is the first of its index. */
  readonly isFirst: boolean;
}

/**
 * What to do about a node that does not have the next block, or its receipts, because it does not keep them for so long;
 * undefined where that is not why nothing came. `cause` is what it failed with.
 */
export async function explainMissing(
  source: Source,
  next: NextBlock,
  cause?: ChainError,
): Promise<ChainError | undefined> {
  const { number, head, isFirst } = next;
  if (head - number < OLD_BLOCKS || (cause !== undefined && !DROPPED.test(cause.message))) return undefined;
  const [hasBlock] = await areThere(source, [number]);
  if (hasBlock && cause === undefined) return undefined;
  const other = isFirst ? "" : "a new index in another --data directory, ";
  if (hasBlock) {
    const advice = `use a node that keeps receipts for so long, or begin ${other}at a later --from-block`;
    return missing(`${source.name} does not have the receipts of block ${number}; ${advice} (${cause?.message})`);
  }
  const newestMissing = await findHighest(number, head, async (numbers) =>
    (await areThere(source, numbers)).map((isThere) => !isThere),
  );
  const advice = `use a node with all blocks, or begin ${other}with --from-block ${newestMissing + 1}`;
  return missing(`${source.name} does not have block ${number}: its oldest is ${newestMissing + 1}; ${advice}`);
}

const missing = (message: string) => new ChainError("upstream_unavailable", message);

/** Some nodes refuse to speak of blocks that they have dropped. */
async function areThere(source: Source, numbers: readonly number[]): Promise<boolean[]> {
  try {
    return (await source.hashes(numbers)).map((hash) => hash !== undefined);
  } catch (error) {
    if (!DROPPED.test(asChainError(error).message)) throw error;
    if (numbers.length === 1) return [false];
    return (await Promise.all(numbers.map((number) => areThere(source, [number])))).flat();
  }
}

import { asChainError, ChainError } from "../chain/error.ts";
import type { Source } from "../chain/source.ts";
import { findHighest } from "../std/numbers.ts";

/** A block missing this far below the head is pruned, not pending. */
const OLD_BLOCKS = 128;

/** Messages for pruned blocks and receipts, including our own. */
const DROPPED =
  /pruned|missing trie node|histor(y|ical)\b.*\bunavailable|has not all \d+ receipts|has no receipt of|not (be )?found/i;

/** Messages for pruned states. */
const DROPPED_STATE =
  /missing trie node|pruned|(state|histor(y|ical))\b.*\b(unavailable|not available|not found)|required historical state/i;

/** Adds advice if the node has pruned the state. */
export function explainState(reason: string): string {
  if (!DROPPED_STATE.test(reason)) return reason;
  return `${reason}; use a node that keeps all states (an archive node), or leave --traces out`;
}

interface NextBlock {
  readonly number: number;
  readonly head: number;
  readonly isFirst: boolean;
}

/** Explains a node that has pruned the next block or its receipts; undefined if that is not the cause. */
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

/** Some nodes return errors for pruned blocks. */
async function areThere(source: Source, numbers: readonly number[]): Promise<boolean[]> {
  try {
    return (await source.hashes(numbers)).map((hash) => hash !== undefined);
  } catch (error) {
    if (!DROPPED.test(asChainError(error).message)) throw error;
    if (numbers.length === 1) return [false];
    return (await Promise.all(numbers.map((number) => areThere(source, [number])))).flat();
  }
}

import type { SubgraphState } from "./subgraphState.ts";

/** Blocks [from, after) of a time in seconds; empty if no block has it. */
export interface TimedBlocks {
  readonly from: number;
  readonly after: number;
}

const MAX_TIME = 2 ** 48;

export async function blocksOfTime(
  { session, range }: SubgraphState,
  times: readonly number[],
): Promise<readonly TimedBlocks[]> {
  const bounded = times.map((time) => Math.max(-1, Math.min(time, MAX_TIME)));
  const wanted = bounded.flatMap((time) => [time - 1, time]);
  const found = await session.blocks.firstAfterEach(wanted, range.first, range.tip.number + 1);
  return times.map((_, at) => ({ from: found[2 * at]!, after: found[2 * at + 1]! }));
}

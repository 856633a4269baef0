import { lowestPast } from "./lowestPast.ts";

/** A list of ascending positions, which is stored as full runs of one length and a rest. */
export interface RunList {
  readonly count: number;
  readonly runLength: number;
  /** The first positions of full runs, by the numbers of those. */
  firstPositions(runs: readonly number[]): Promise<ReadonlyMap<number, number>>;
  /** The positions with ordinals in [from, to). */
  slice(from: number, to: number): Promise<readonly number[]>;
}

/** For each of some positions the ordinal of the first entry at or above it. */
export async function searchRuns(list: RunList, positions: readonly number[]): Promise<number[]> {
  const { count, runLength } = list;
  const full = Math.floor(count / runLength);
  const load = (runs: number[]) => list.firstPositions(runs);
  const runs = await lowestPast(positions, [0, full], load, (first, position) => first! >= position);
  const ordinals: number[] = [];
  for (const [at, position] of positions.entries()) {
    const run = runs[at]!;
    const start = Math.max(run - 1, 0) * runLength;
    const entries = await list.slice(start, run === full ? count : run * runLength);
    const first = entries.findIndex((entry) => entry >= position);
    ordinals.push(start + (first < 0 ? entries.length : first));
  }
  return ordinals;
}
